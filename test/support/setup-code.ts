import { eventually } from './eventually.js';
import { logLines } from './log-lines.js';

type ShownSetup = Readonly<{ page: string; setupCode: string }>;

/** Waits until the process is ready after so many starts, and returns the pages and setup codes that it has logged. */
export function shownSetups(process: Readonly<{ output(): string }>, starts = 1): Promise<ShownSetup[]> {
  return eventually(() => {
    if (process.output().includes('keyfold cannot start')) throw new Error(process.output());
    const lines = logLines(process.output());
    if (lines.filter(({ msg }) => msg === 'ready').length < starts) throw new Error('the process is not ready');
    return lines
      .filter((line) => 'setupCode' in line)
      .map(({ page, setupCode }) => ({ page: String(page), setupCode: String(setupCode) }));
  });
}
