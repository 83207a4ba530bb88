import type { Progress } from '@keyfold/operator';

const BAR_LENGTH = 30;
/** Erases the line of the cursor (ECMA-48, EL 2). */
const ERASE_LINE = '\r\u001b[2K';

/** Where progress is shown. */
export type ProgressStream = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;

/** Shows how far a command has come: a bar that is redrawn on a terminal, elsewhere a line for each tenth. */
export class ProgressDisplay {
  #isDrawn = false;
  #tenths = 0;

  constructor(private readonly stream: ProgressStream) {}

  show({ done, total, unit }: Progress): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const text = `${Math.floor(share * 100)} % of ${total.toLocaleString('en')} ${total === 1 ? unit : `${unit}s`}`;
    if (this.stream.isTTY) {
      const filled = Math.floor(share * BAR_LENGTH);
      this.stream.write(`${ERASE_LINE}[${'#'.repeat(filled)}${'-'.repeat(BAR_LENGTH - filled)}] ${text}`);
      this.#isDrawn = true;
    } else if (Math.floor(share * 10) > this.#tenths) {
      this.#tenths = Math.floor(share * 10);
      this.stream.write(`${text}\n`);
    }
  }

  /** Removes the bar, so that another line can be written. */
  clear(): void {
    if (this.#isDrawn) this.stream.write(ERASE_LINE);
    this.#isDrawn = false;
  }
}
