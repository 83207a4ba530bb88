/** How long a logged line is not logged again (milliseconds). */
const INTERVAL = 10_000;
/** Bounds the memory if the text differs every time. */
const MAX_TEXTS = 100;

type Line = { loggedAt: number; omitted: number };

/** Logs a line that many requests cause at most once every ten seconds, with the number of omitted repetitions. */
export class RepeatedLine {
  readonly #lines = new Map<string, Line>();

  /** `now` returns monotonic milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Calls `write` unless the same text was written in the last ten seconds. `omitted` counts the calls since then. */
  write(text: string, write: (omitted: number) => void): void {
    const line = this.#lines.get(text);
    if (line && this.now() - line.loggedAt < INTERVAL) return void line.omitted++;
    if (this.#lines.size >= MAX_TEXTS) this.#lines.clear();
    this.#lines.set(text, { loggedAt: this.now(), omitted: 0 });
    write(line?.omitted ?? 0);
  }
}
