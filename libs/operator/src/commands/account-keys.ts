import {
  ListAnySshKeysHandler,
  ListAnySshKeysQuery,
  operator,
  RemoveAnySshKeyCommand,
  RemoveAnySshKeyHandler,
} from '@keyfold/application';
import { DomainError, type Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import { quoted } from '../output/printable.js';
import { keyFields, keyLines } from './key-fields.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';

/** Shows the SSH keys of an account, or removes the one with the id `remove`. */
export function accountKeys(
  { username, remove, json }: { username: string; remove?: number | undefined; json: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  if (remove !== undefined) return changeAccount(username, run, (account) => removeKey(account, remove, run));
  return onAccount(username, run, (account) => showKeys(account, json, run));
}

async function showKeys(account: Account, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const keys = await keysOf(account, ports);
  for (const key of keys)
    for (const line of json ? [JSON.stringify(keyFields(key))] : keyLines(key)) await output.out(line);
  if (!json) await output.out(`${counted(keys.length, 'SSH key')} of ${quoted(account.username)}`);
  return DONE;
}

/** Removes a key of this account. Unlike the API, it refuses a key that does not exist, because the id is probably wrong. */
async function removeKey(account: Account, keyId: number, { ports }: CommandRun): Promise<string> {
  const key = (await keysOf(account, ports)).find((each) => each.keyId === keyId);
  if (!key) throw new DomainError('ssh-key-not-found');
  await new RemoveAnySshKeyHandler(ports.runner).execute(new RemoveAnySshKeyCommand(operator, keyId, newOrigin()));
  return `removed the SSH key ${keyId} (${quoted(key.title)}) of ${quoted(account.username)}`;
}

const keysOf = ({ accountId }: Account, { loader, clock }: CommandRun['ports']) =>
  new ListAnySshKeysHandler(loader, clock).execute(new ListAnySshKeysQuery(accountId));
