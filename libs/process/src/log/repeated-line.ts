/** How long a line that was written is not written again (milliseconds). */
const PAUSE = 10_000;
/** Reasons that are remembered. What fails has few of them; a text that differs each time shall not fill the memory. */
const MOST_TEXTS = 100;

type Line = { at: number; untold: number };

/** Lets a line that many requests lead to at once into the log now and then, with the number of those that were left out. */
export class RepeatedLine {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Calls `write` unless it was called for the same text a moment ago; `untold` counts the calls that were left out since. */
  tell(text: string, write: (untold: number) => void): void {
    const known = this.#lines.get(text);
    if (known && this.now() - known.at < PAUSE) return void known.untold++;
    if (this.#lines.size >= MOST_TEXTS) this.#lines.clear();
    this.#lines.set(text, { at: this.now(), untold: 0 });
    write(known?.untold ?? 0);
  }
}
