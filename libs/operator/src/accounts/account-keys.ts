import {
  isoTime,
  ListAnySshKeysQuery,
  operator,
  RemoveAnySshKeyCommand,
  type ListedSshKey,
} from '@keyfold/application';
import { DomainError, type Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { md5FingerprintOf } from '@keyfold/projections';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf } from '../output/table.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin, type CommandRun } from '../command-run.js';

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
  await ports.commands.execute(new RemoveAnySshKeyCommand(operator, keyId, newOrigin()));
  return `removed the SSH key ${keyId} (${quoted(key.title)}) of ${quoted(account.username)}`;
}

const keysOf = ({ accountId }: Account, { queries }: CommandRun['ports']) =>
  queries.execute(new ListAnySshKeysQuery(accountId));

/** Returns the fields of an SSH key as JSON shows them. `lastUsed` is null for a key that was never used. */
export const keyFields = (key: ListedSshKey) => ({
  id: key.keyId,
  title: key.title,
  fingerprint: key.fingerprint,
  md5Fingerprint: md5FingerprintOf(key.blob),
  type: key.type,
  bits: key.bits,
  comment: key.comment,
  added: isoTime(key.addedAt),
  lastUsed: key.isUsed ? isoTime(key.lastUsedAt) : null,
  expires: key.expiresAt === undefined ? null : isoTime(key.expiresAt),
  expired: key.expired,
});

/** Returns the lines that show an SSH key to people. */
export function keyLines(key: ListedSshKey): Generator<string> {
  const { id, title, type, bits, fingerprint, added, lastUsed, expires, expired } = keyFields(key);
  return fieldsOf(`${id}  ${title}`, {
    type: `${type}, ${bits} bits`,
    fingerprint,
    added,
    'last used': lastUsed ?? 'never',
    [expired ? 'expired' : 'expires']: expires ?? 'never',
  });
}
