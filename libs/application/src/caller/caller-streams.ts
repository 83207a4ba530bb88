import type { Account, SshKeyRing, SshKeyUse } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, type Loaded, type StreamRef } from '@keyfold/projections';
import type { Caller, CallerPart } from './caller.js';

type CallerStreams = readonly [
  StreamRef<Account>,
  ...([StreamRef<SshKeyRing>, StreamRef<SshKeyUse>] | [StreamRef<SshKeyRing>] | []),
];
export type LoadedCaller = readonly [Loaded<Account>, Loaded<SshKeyRing>?, Loaded<SshKeyUse>?];

/** Returns the streams of this part of an account. */
export function callerStreams(accountId: number, part: CallerPart): CallerStreams {
  const account = accountStream(accountId);
  if (part === 'account') return [account];
  const ring = sshKeyRingStream(accountId);
  return part === 'ring' ? [account, ring] : [account, ring, sshKeyUseStream(accountId)];
}

/** Returns the states of the loaded streams as parts of a caller. */
export const loadedPart = ([account, ring, use]: LoadedCaller): Pick<
  Caller,
  'account' | 'accountVersion' | 'keys'
> => ({
  account: account.state,
  accountVersion: account.version,
  ...(ring && use && { keys: { ring: ring.state, use: use.state } }),
});
