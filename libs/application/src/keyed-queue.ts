type Line = { running: number; readonly waiting: (() => void)[] };

/** Runs tasks of one key at most `width` at a time, in the order in which they came; those of different keys side by side. */
export class KeyedQueue {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly width = 1) {}

  /** How many tasks of the key run or wait. */
  size(key: string): number {
    const line = this.#lines.get(key);
    return line ? line.running + line.waiting.length : 0;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const line = this.#lineOf(key);
    if (line.running < this.width) line.running += 1;
    else await new Promise<void>((begin) => line.waiting.push(begin));
    try {
      return await task();
    } finally {
      this.#leave(key, line);
    }
  }

  #lineOf(key: string): Line {
    let line = this.#lines.get(key);
    if (!line) this.#lines.set(key, (line = { running: 0, waiting: [] }));
    return line;
  }

  /** The place goes to the next in line; a line that is empty is forgotten. */
  #leave(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) return next();
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(key);
  }
}
