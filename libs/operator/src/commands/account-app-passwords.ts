import {
  listAppPasswords,
  operator,
  RevokeAnyAppPasswordCommand,
  RevokeAnyAppPasswordHandler,
  TokenActivity,
  type ListedAppPassword,
} from '@keyfold/application';
import { accountOfAppPassword, DomainError, type Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { appPasswordsStream } from '@keyfold/projections';
import { counted } from '../output/counted.js';
import { fieldsOf } from '../output/fields.js';
import { quoted } from '../output/printable.js';
import { secretTimeFields, secretTimes } from '../output/secret-times.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';

/** Shows the app passwords of an account, or revokes the one with the id `revoke`. */
export function accountAppPasswords(
  { username, revoke, json }: { username: string; revoke?: number | undefined; json: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  if (revoke !== undefined) return changeAccount(username, run, (account) => revokeAppPassword(account, revoke, run));
  return onAccount(username, run, (account) => showAppPasswords(account, json, run));
}

async function showAppPasswords(account: Account, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const [{ state }] = await ports.loader.load(appPasswordsStream(account.accountId));
  const activity = new TokenActivity(ports.tokenUses, ports.clock);
  const passwords = (await listAppPasswords(state.passwords, activity, ports.clock.now())).map(shown);
  for (const password of passwords)
    for (const line of json ? [JSON.stringify(password)] : linesOf(password)) await output.out(line);
  if (!json) await output.out(`${counted(passwords.length, 'app password')} of ${quoted(account.username)}`);
  return DONE;
}

/** Revokes an app password of this account, and refuses one of another. */
async function revokeAppPassword({ accountId, username }: Account, id: number, { ports }: CommandRun): Promise<string> {
  if (accountOfAppPassword(id) !== accountId) throw new DomainError('app-password-not-found');
  const handler = new RevokeAnyAppPasswordHandler(ports.runner);
  await handler.execute(new RevokeAnyAppPasswordCommand(operator, id, newOrigin()));
  return `revoked the app password ${id} of ${quoted(username)}`;
}

const shown = (password: ListedAppPassword) => ({
  id: password.appPasswordId,
  name: password.name,
  protocol: password.protocol,
  ...secretTimes(password),
});

const linesOf = ({ id, name, protocol, ...times }: ReturnType<typeof shown>) =>
  fieldsOf(`${id}  ${name}`, { protocol, ...secretTimeFields(times) });
