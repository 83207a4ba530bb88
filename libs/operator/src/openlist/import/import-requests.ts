import { DONE, type ExitCode } from '@keyfold/process';
import type { OperatorOutput } from '../../command-run.js';
import { passwordMarkOf } from './import-marks.js';
import type { SentAccount } from './import-plan.js';
import { EXPORTED_SALT, type OpenlistAccount } from '../database/openlist-rows.js';

/** Maximum size of a part that is sent at once. The socket of a running process takes at most 1 MiB. */
const PART_CHARACTERS = 500_000;

type Writing = Readonly<{ write: boolean; silent: boolean }>;
type ImportRequest = Readonly<
  | { command: 'import openlist'; args: Writing & Readonly<{ accounts: readonly object[]; accept: readonly string[] }> }
  | { command: 'import mapping'; args: Readonly<{ json: true }> }
  | { command: 'import openlist-settings'; args: Writing & Readonly<{ settings: readonly object[] }> }
>;

/** `send` runs a request in the process that has the store open. */
export type ImportRun = Readonly<{
  send(request: ImportRequest, output: OperatorOutput): Promise<ExitCode>;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** A request failed and has reported why. */
export class RequestFailed extends Error {
  constructor(readonly exitCode: ExitCode) {
    super(`a request failed with the exit status ${exitCode}`);
  }
}

/** Sends a request and returns its results, one for each line. Throws `RequestFailed`. */
export async function resultsOf<Result>(
  request: ImportRequest,
  { send, output, signal }: ImportRun,
): Promise<readonly Result[]> {
  signal.throwIfAborted();
  const results: Result[] = [];
  const collecting = { ...output, out: async (line: string) => void results.push(JSON.parse(line) as Result) };
  const exitCode = await send(request, collecting);
  if (exitCode !== DONE) throw new RequestFailed(exitCode);
  return results;
}

/** Returns what is sent before the hash is wrapped. The hash itself never leaves this process. */
export const withoutPassword = ({ hash: openlistHash, salt, ...account }: OpenlistAccount): SentAccount => ({
  ...account,
  hasPassword: openlistHash !== undefined,
  passwordMark: passwordMarkOf(salt),
  exportMark: EXPORTED_SALT.exec(salt)?.[1],
});

/** Whether settings fit into a request, which they must do together. */
export const fitsRequest = (settings: readonly object[]): boolean => JSON.stringify(settings).length <= PART_CHARACTERS;

/** Yields the rows in parts that fit into a request. */
export function* partsOf<Row>(rows: Iterable<Row>, maxRows: number): Generator<Row[]> {
  let part: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    if (part.length === maxRows || (part.length > 0 && characters + length > PART_CHARACTERS)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(row);
    characters += length;
  }
  if (part.length > 0) yield part;
}
