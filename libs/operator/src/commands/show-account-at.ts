import { accountAt, type PastAccount } from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { accountIdOf, type NamedAccount } from './named-or-numbered-account.js';
import type { CommandRun } from './operator-ports.js';

/** The account and the time in unix milliseconds. */
export type ShowAccountAtArgs = NamedAccount & Readonly<{ at: number; json: boolean }>;

/** Shows an account and its keys as they were at a time. Shows no secret. */
export async function showAccountAt(args: ShowAccountAtArgs, run: CommandRun): Promise<ExitCode> {
  const found = await accountIdOf(args, run);
  if ('exitCode' in found) return found.exitCode;
  const { ports, output, signal } = run;
  const past = await accountAt(ports.store, found.accountId, args.at);
  const [account, keys] = [accountFacts(found.accountId, args.at, past), keyFacts(past)];
  if (args.json) {
    await output.out(JSON.stringify({ ...account, keys }));
    return DONE;
  }
  for (const [name, value] of Object.entries(account))
    await output.out(`${labelOf(name).padEnd(WIDTH)}${value === null ? 'none' : textOf(`${value}`)}`);
  for (const key of keys) {
    signal.throwIfAborted();
    const { id, title, type, fingerprint, added, lastUsed } = key;
    const use = lastUsed === null ? 'never used' : `last used ${lastUsed}`;
    await output.out(`key ${id}  ${JSON.stringify(title)}  ${type}  ${fingerprint}  added ${added}  ${use}`);
  }
  return DONE;
}

/** The column of the values. */
const WIDTH = 21;

/** Sealed values never get here: only fields that are named are shown. */
function accountFacts(id: number, at: number, { account }: PastAccount) {
  const moment = { id, at: timeOf(at), status: account.status === 'absent' ? 'not yet created' : account.status };
  if (account.status !== 'active') return moment;
  const { twoFactor, passwordTimestamp } = account;
  return {
    ...moment,
    username: account.username,
    role: account.role,
    basePath: account.basePath,
    permission: account.permission,
    disabled: account.disabled,
    ssoId: account.ssoId,
    allowLdap: account.allowLdap,
    passwordChanged: passwordTimestamp === 0 ? null : timeOf(passwordTimestamp * 1_000),
    twoFactor: twoFactor === null ? 'off' : twoFactor.locked ? 'locked' : 'on',
    recoveryCodesLeft: twoFactor?.recoveryCodes?.unused.length ?? null,
  };
}

/** The keys of a deleted account are deleted too. */
const keyFacts = ({ account, ring, use }: PastAccount) =>
  (account.status === 'active' ? ring.keys : []).map(({ keyId, title, key, addedAt }) => ({
    id: keyId,
    title,
    type: key.type,
    fingerprint: key.fingerprint,
    bits: key.bits,
    added: timeOf(addedAt),
    lastUsed: use.lastUsed[keyId] === undefined ? null : timeOf(use.lastUsed[keyId]),
  }));

/** Returns the name of a field in words, such as `base path`. */
const labelOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Escapes line breaks and control characters. */
const textOf = (value: string) => JSON.stringify(value).slice(1, -1);

const timeOf = (at: number) => new Date(at).toISOString();
