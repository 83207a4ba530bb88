import { printableOutput, type OperatorOutput, type Progress } from '@keyfold/operator';

// A reader such as `head` may close the pipe; the rest of the output is then not needed.
process.stdout.on('error', () => process.exit());

const BAR_LENGTH = 30;
/** Erases the current line (ECMA-48, EL 2). */
const ERASE_LINE = '\r\u001b[2K';

/** The stream on which progress is shown. */
export type ProgressStream = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;

/** Shows the progress of a command: as a bar on a terminal, otherwise as a line for each tenth. */
export class ProgressDisplay {
  #isDrawn = false;
  #tenths = 0;
  #share = 0;
  #first: Readonly<{ share: number; at: number }> | undefined;

  /** `now` is in milliseconds. */
  constructor(
    private readonly stream: ProgressStream,
    private readonly now: () => number = () => performance.now(),
  ) {}

  show({ done, total, unit }: Progress): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    if (share < this.#share) this.#startOver();
    this.#share = share;
    const text = `${Math.floor(share * 100)} % of ${total.toLocaleString('en')} ${total === 1 ? unit : `${unit}s`}`;
    if (this.stream.isTTY) {
      const filled = Math.floor(share * BAR_LENGTH);
      this.stream.write(
        `${ERASE_LINE}[${'#'.repeat(filled)}${'-'.repeat(BAR_LENGTH - filled)}] ${text}${this.#timeLeft(share)}`,
      );
      this.#isDrawn = true;
    } else if (Math.floor(share * 10) > this.#tenths) {
      this.#tenths = Math.floor(share * 10);
      this.stream.write(`${text}\n`);
    }
  }

  /** Returns the time left at the rate so far, once that rate can be known. */
  #timeLeft(share: number): string {
    const now = this.now();
    this.#first ??= { share, at: now };
    const gained = share - this.#first.share;
    const seconds = (now - this.#first.at) / 1_000;
    if (seconds < 1 || gained <= 0 || share === 1) return '';
    const left = Math.round((seconds * (1 - share)) / gained);
    return left < 100 ? `, ${left} s left` : `, ${Math.ceil(left / 60)} min left`;
  }

  /** A command with several steps shows the progress of each. */
  #startOver(): void {
    this.#tenths = 0;
    this.#first = undefined;
  }

  /** Removes the bar, so that another line can be written. */
  clear(): void {
    if (this.#isDrawn) this.stream.write(ERASE_LINE);
    this.#isDrawn = false;
  }
}

const progress = new ProgressDisplay(process.stderr);
process.on('exit', () => progress.clear());

const write = (stream: NodeJS.WriteStream, line: string) =>
  new Promise<void>((written) => {
    progress.clear();
    if (stream.write(`${printableOutput(line)}\n`)) written();
    else stream.once('drain', written);
  });

/** Writes to the standard output and standard error of this process. */
export const terminal: OperatorOutput = {
  out: (line) => write(process.stdout, line),
  err: (line) => write(process.stderr, line),
  progress: async (each) => progress.show(each),
};
