/** Milliseconds. */
const INTERVAL = 10_000;
/** Bounds the memory if the text differs every time. */
const MAX_TEXTS = 100;

type Line = { loggedAt: number; omitted: number };

/** Logs a line that many requests cause at most once in an interval, with the number of omitted repetitions. */
export class RepeatedLine {
  readonly #lines = new Map<string, Line>();

  /** `now` returns monotonic milliseconds. */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly interval = INTERVAL,
  ) {}

  /** Calls `write` unless the same text was written in the last interval. `omitted` counts the calls since then. */
  write(text: string, write: (omitted: number) => void): void {
    const line = this.#lines.get(text);
    if (line && this.now() - line.loggedAt < this.interval) return void line.omitted++;
    if (this.#lines.size >= MAX_TEXTS) this.#lines.clear();
    this.#lines.set(text, { loggedAt: this.now(), omitted: 0 });
    write(line?.omitted ?? 0);
  }
}
