import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { Argon2PasswordHasher, wrapOpenlistHash } from '@keyfold/security';
import pLimit from 'p-limit';
import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { OperatorOutput } from '../command-run.js';
import { quoted } from '../output/printable.js';
import type { ImportResult } from './import-accounts.js';
import type { SentAccount } from './import-plan.js';
import { ImportReport } from './import-report.js';
import { OpenlistDatabase, UnusableOpenlistDatabase, type OpenlistAccount } from './openlist-database.js';

/** Maximum size of a part that is sent at once. The socket of a running process takes at most 1 MiB. */
const PART_CHARACTERS = 500_000;
/** Accounts in a part that is written. A kill loses the hashes of one part. */
const WRITTEN_ACCOUNTS = 200;
const ACCOUNT_CHARACTERS = 900_000;

/** The values of a request, which plans or writes these accounts. */
type Part = Readonly<{ accounts: readonly SentAccount[]; accept: readonly string[]; write: boolean }>;
type Given = Readonly<{ file: string; accept: readonly string[]; dryRun: boolean; json: boolean }>;

/** `send` runs a request in the process that has the store open. */
export type ImportRun = Readonly<{
  send(part: Part, output: OperatorOutput): Promise<ExitCode>;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** A request failed and has reported why. */
class RequestFailed extends Error {
  constructor(readonly exitCode: ExitCode) {
    super(`a request failed with the exit status ${exitCode}`);
  }
}

/** Imports the accounts in a database of OpenList: plans all of them first, and writes only if every problem is accepted. */
export async function importOpenlist(given: Given, run: ImportRun): Promise<ExitCode> {
  let database: OpenlistDatabase | undefined;
  try {
    database = new OpenlistDatabase(given.file);
    return await importFrom(database, given, run);
  } catch (error) {
    if (error instanceof RequestFailed) return error.exitCode;
    if (!(error instanceof UnusableOpenlistDatabase)) throw error;
    await run.output.err(`${error.message}. Nothing was changed`);
    return WRONG_USAGE;
  } finally {
    database?.close();
  }
}

async function importFrom(database: OpenlistDatabase, given: Given, run: ImportRun): Promise<ExitCode> {
  const { accept, dryRun, json } = given;
  const { output } = run;
  const planned = new ImportReport(output, json);
  const written = new ImportReport(output, json);
  /** The accounts to write, and whether each needs its password. */
  const wanted = new Map<number, boolean>();
  const isAccepted = ({ problems }: ImportResult) => problems.every(({ reason }) => accept.includes(reason));
  for (const part of partsOf(database.accounts(), Infinity)) {
    for (const result of await request(part.map(withoutPassword), false, given, run)) {
      planned.count(result);
      if (result.outcome === 'taken') wanted.set(result.id, result.needsPassword);
      else written.count(result);
      if (dryRun || !isAccepted(result)) await planned.write(result);
    }
  }
  const open = planned.problems.filter((reason) => !accept.includes(reason));
  if (dryRun || open.length > 0 || wanted.size === 0) await planned.finish('Would take');
  if (open.length > 0) {
    const options = open.map((reason) => `--accept ${reason}`).join(' ');
    await output.err(`Nothing was changed. Solve the problems, or leave out what has them with ${options}`);
    return FAILED;
  }
  if (dryRun || wanted.size === 0) return DONE;
  try {
    return await write(database, { wanted, written }, given, run);
  } catch (error) {
    if (!(error instanceof UnusableOpenlistDatabase)) throw error;
    await output.err(`${error.message}. The accounts above were imported. Run the command again for the others`);
    return FAILED;
  }
}

async function write(
  database: OpenlistDatabase,
  { wanted, written }: Readonly<{ wanted: ReadonlyMap<number, boolean>; written: ImportReport }>,
  given: Given,
  run: ImportRun,
): Promise<ExitCode> {
  const { output, signal } = run;
  const total = [...wanted.values()].filter((needsPassword) => needsPassword).length;
  const concurrency = availableParallelism();
  const hasher = new Argon2PasswordHasher({ concurrency, maxWaiting: 1 });
  const limit = pLimit(concurrency);
  let done = 0;
  const wrapped = async (account: OpenlistAccount): Promise<SentAccount> => {
    if (account.hash === undefined || !wanted.get(account.id)) return withoutPassword(account);
    signal.throwIfAborted();
    const wrappedHash = await wrapOpenlistHash({ hash: account.hash, salt: account.salt }, hasher);
    await output.progress?.({ done: ++done, total, unit: 'password' });
    return { ...withoutPassword(account), wrappedHash };
  };
  for (const part of partsOf(selected(database.accounts(), wanted), WRITTEN_ACCOUNTS)) {
    for (const result of await request(await limit.map(part, wrapped), true, given, run)) {
      written.count(result);
      await written.write(result);
    }
  }
  await written.finish('Took');
  return written.problems.every((reason) => given.accept.includes(reason)) ? DONE : FAILED;
}

/** Sends accounts to the store and returns what becomes of them. */
async function request(
  accounts: readonly SentAccount[],
  write: boolean,
  { accept }: Given,
  { send, output, signal }: ImportRun,
): Promise<ImportResult[]> {
  signal.throwIfAborted();
  const results: ImportResult[] = [];
  const collecting = { ...output, out: async (line: string) => void results.push(JSON.parse(line) as ImportResult) };
  const exitCode = await send({ accounts, accept, write }, collecting);
  if (exitCode !== DONE) throw new RequestFailed(exitCode);
  return results;
}

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Returns what is sent before the hash is wrapped. The hash itself never leaves this process. Each password has a salt of its own. */
const withoutPassword = ({ hash: openlistHash, salt, ...account }: OpenlistAccount): SentAccount => ({
  ...account,
  hasPassword: openlistHash !== undefined,
  passwordMark: sha256(salt),
});

/** Leaves out the accounts that are not wanted. */
function* selected(
  pages: Iterable<readonly OpenlistAccount[]>,
  wanted: ReadonlyMap<number, boolean>,
): Generator<readonly OpenlistAccount[]> {
  for (const page of pages) yield page.filter(({ id }) => wanted.has(id));
}

/** Yields the accounts in parts that fit into a request. Throws `UnusableOpenlistDatabase` for an account that fits into none. */
function* partsOf(pages: Iterable<readonly OpenlistAccount[]>, maxAccounts: number): Generator<OpenlistAccount[]> {
  let part: OpenlistAccount[] = [];
  let characters = 0;
  for (const page of pages) {
    for (const account of page) {
      const length = JSON.stringify(account).length;
      if (length > ACCOUNT_CHARACTERS) throw tooLarge(account);
      if (part.length === maxAccounts || (part.length > 0 && characters + length > PART_CHARACTERS)) {
        yield part;
        part = [];
        characters = 0;
      }
      part.push(account);
      characters += length;
    }
  }
  if (part.length > 0) yield part;
}

const tooLarge = ({ username }: OpenlistAccount) =>
  new UnusableOpenlistDatabase(
    `the account ${quoted(username)} has too many SSH keys for an import. Remove some in OpenList`,
  );
