import { DONE, FAILED, INTERRUPTED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { OperatorOutput } from '../../command-run.js';
import { counted } from '../../output/printable.js';
import { headOf, lineOf } from '../../output/table.js';
import type { Adopted } from './adopt-users.js';
import type { Adoption } from './adoption-plan.js';

/** Users in a request, which takes at most 1 MiB. */
const REQUEST_USERS = 2_000;
const COLUMNS = [
  { head: 'user', width: 6, isNumeric: true },
  { head: 'name in OpenList', width: 22 },
  { head: 'account', width: 7, isNumeric: true },
  { head: 'name here', width: 22 },
  { head: 'replaces user', width: 13, isNumeric: true },
];

type Request = Readonly<{
  command: 'openlist adopt';
  args: Readonly<{ names: readonly string[]; users?: readonly Pick<Adoption, 'userId' | 'accountId'>[] }>;
}>;

/**
 * `send` runs a request in the process that has the store open. `confirm` returns why the users must not be adopted, or undefined if they
 * may.
 */
export type AdoptionRun = Readonly<{
  send(request: Request, output: OperatorOutput): Promise<ExitCode>;
  confirm(): Promise<string | undefined>;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** Shows the users of OpenList that belong to accounts, and adopts them if that is confirmed. Without names it takes all. */
export async function adoptOpenlistUsers(
  { names }: Readonly<{ names: readonly string[] }>,
  { send, confirm, output, signal }: AdoptionRun,
): Promise<ExitCode> {
  const users: Pick<Adoption, 'userId' | 'accountId'>[] = [];
  const planning = async (line: string) => {
    const { userId, name, accountId, username, replaces } = JSON.parse(line) as Adoption;
    if (users.length === 0) await output.out(headOf(COLUMNS));
    users.push({ userId, accountId });
    await output.out(lineOf([userId, name, accountId, username, replaces ?? ''], COLUMNS));
  };
  const planned = await send({ command: 'openlist adopt', args: { names } }, { ...output, out: planning });
  if (planned !== DONE) return planned;
  if (users.length === 0) {
    await output.out(
      'OpenList has no user to adopt: each is a mirror already, or belongs to no account. Import missing accounts first',
    );
    return DONE;
  }
  await output.err(
    'They get the names and rights of these accounts and new passwords. Their second factors and passkeys in OpenList are removed',
  );
  const refusal = await confirm();
  if (refusal !== undefined) {
    await output.err(`${refusal}. Nothing was changed`);
    return WRONG_USAGE;
  }
  let adopted = 0;
  const adopting = async (line: string) => {
    const { userId, problem } = JSON.parse(line) as Adopted;
    if (problem === null) adopted++;
    else await output.err(`user ${userId} was not adopted: ${problem}`);
    await output.progress?.({ done: adopted, total: users.length, unit: 'user' });
  };
  let exitCode: ExitCode = DONE;
  for (let at = 0; at < users.length && exitCode === DONE; at += REQUEST_USERS) {
    if (signal.aborted) return INTERRUPTED;
    const part = users.slice(at, at + REQUEST_USERS);
    exitCode = await send(
      { command: 'openlist adopt', args: { names: [], users: part } },
      { ...output, out: adopting },
    );
  }
  await output.out(`adopted ${counted(adopted, 'user')}`);
  return exitCode === DONE && adopted < users.length ? FAILED : exitCode;
}
