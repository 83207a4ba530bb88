import {
  accessTokenScopes,
  BYTES_PER_RING,
  bytesOfKey,
  DomainError,
  FORMER_APP_PASSWORDS,
  keyIdOf,
  KEYS_PER_ACCOUNT,
  sshKeyRingDecider,
  TEXT_BYTES,
  SECRET_LIFETIME,
  secretIdOf,
  SECRETS_PER_ACCOUNT,
  usernameHold,
  type SshKey,
  type StoredEvent,
} from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import { createHash, randomUUID } from 'node:crypto';
import { publicKey } from '../../libs/domain/testing/ssh-key-ring.events.js';
import type { WorstTexts } from './worst-texts.js';

const EXPIRY = Date.UTC(2035, 0, 1);
const NOW = Date.UTC(2026, 0, 1);
const KEY_BYTES = bytesOfKey({ title: '', key: { ...publicKey('any'), comment: '' } });

/** The keys of a ring that accepts no more. */
export type FullRing = readonly SshKey[];

/** Returns as many keys as a ring can have; their titles also fill its bytes. */
export function ringOfManyKeys({ any }: WorstTexts): FullRing {
  const bytes = Math.floor(BYTES_PER_RING / KEYS_PER_ACCOUNT) - KEY_BYTES;
  return fullRing((n) => ({ title: any(`${n} `, bytes), key: { ...publicKey(`many ${n}`), comment: '' } }));
}

/** Returns a few keys whose comments fill the bytes of the ring. */
export const ringOfLongComments = ({ plain }: WorstTexts): FullRing =>
  fullRing((n) => ({ title: `${n}`, key: { ...publicKey(`long ${n}`), comment: plain('c', 15_600) } }));

/** Adds keys until the decider refuses one. */
function fullRing(keyAt: (n: number) => Pick<SshKey, 'title' | 'key'>): FullRing {
  const keys: SshKey[] = [];
  let bytes = 0;
  for (;;) {
    const next = keyAt(keys.length + 1);
    bytes += bytesOfKey(next);
    if (keys.length === KEYS_PER_ACCOUNT || bytes > BYTES_PER_RING) {
      const ring = { keys, keysEver: keys.length, bytes: bytes - bytesOfKey(next) };
      const add = () => sshKeyRingDecider.decide(ring, { type: 'AddSshKey', accountId: 0, ...next, now: NOW });
      if (outcomeOf(add) !== 'ssh-key-limit-reached') throw new Error(`a ring of ${keys.length} keys is not full`);
      return keys;
    }
    keys.push({ keyId: keys.length + 1, ...next, addedAt: NOW });
  }
}

function outcomeOf(decide: () => unknown): string {
  try {
    decide();
    return 'taken';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

/** Returns a full ring, whose keys all have an expiry, in one commit, because a thousand requests would take half a minute. */
export function ringCommit(accountId: number, keys: FullRing): NewCommit {
  const events = keys.flatMap((key, index) => {
    const keyId = keyIdOf(accountId, index + 1);
    return [
      { type: 'SshKeyAdded', v: 1, data: { ...key, keyId } },
      { type: 'SshKeyExpiryChanged', v: 1, data: { keyId, expiresAt: EXPIRY + index } },
    ];
  });
  return commitOf(`ssh-keys-${accountId}`, accountId, events);
}

/** Returns the texts of an account, each of maximum length. */
export const fullProfile = (start: string, { any, plain }: WorstTexts) => ({
  username: any(start, TEXT_BYTES.username),
  base_path: plain('/', TEXT_BYTES.basePath),
  sso_id: any('', TEXT_BYTES.ssoId),
});

/** Returns an account with such texts and without a usable password. */
export function accountCommit(accountId: number, texts: WorstTexts): NewCommit {
  const { username, base_path: basePath, sso_id: ssoId } = fullProfile(`${accountId} `, texts);
  const nameHash = createHash('sha256').update(username).digest('hex');
  const plain = { accountId, role: 0, permission: 0, disabled: false, allowLdap: true, passwordTimestamp: 0 };
  const data = { ...plain, username, nameHash, turn: 1, basePath, ssoId };
  const event = { type: 'AccountRegistered', v: 1, data, sealed: { passwordHash: 'k1.none' } };
  return { ...commitOf(`account-${accountId}`, accountId, [event]), holds: [usernameHold(nameHash, 1).key] };
}

/** Returns the id of one of the sessions of `sessionCommit`. */
export const worstSessionId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Returns a session of the account with the longest user agent that a login stores. */
export function sessionCommit(accountId: number, n: number): NewCommit {
  const startedAt = Math.floor(Date.now() / 1000) - n;
  const times = { startedAt, expiresAt: startedAt + 48 * 3600 };
  const login = { generation: 1, factors: ['password'], address: '2001:db8::7', client: '<'.repeat(256) };
  const data = { sessionId: worstSessionId(n), accountId, ...login, ...times };
  return commitOf(`session-${data.sessionId}`, accountId, [{ type: 'SessionStarted', v: 1, data }]);
}

/** Returns as many access tokens as an account can have, with names of maximum length. */
export function accessTokensCommit(accountId: number, { any }: WorstTexts): NewCommit {
  const events = Array.from({ length: SECRETS_PER_ACCOUNT }, (_, n) => ({
    type: 'AccessTokenCreated',
    v: 1,
    data: {
      tokenId: secretIdOf(accountId, n + 1),
      name: any(`${n} `, TEXT_BYTES.secretName),
      scopes: accessTokenScopes,
      createdAt: NOW,
      expiresAt: NOW + SECRET_LIFETIME,
      hash: createHash('sha256').update(`${n}`).digest('base64url'),
    },
  }));
  return commitOf(`access-tokens-${accountId}`, accountId, events);
}

/** Returns as many app passwords as an account can have, with names of maximum length, after as many former ones as it keeps. */
export function appPasswordsCommit(accountId: number, { any }: WorstTexts): NewCommit {
  const created = (number: number, name: string) => ({
    type: 'AppPasswordCreated',
    v: 1,
    data: {
      appPasswordId: secretIdOf(accountId, number),
      name,
      protocol: 'webdav',
      createdAt: NOW,
      expiresAt: NOW + SECRET_LIFETIME,
      hash: createHash('sha256').update(`${number}`).digest('base64url'),
    },
  });
  const former = Array.from({ length: FORMER_APP_PASSWORDS }, (_, n) => SECRETS_PER_ACCOUNT + n + 1);
  const events = [
    ...former.map((number) => created(number, `former ${number}`)),
    ...former.map((number) => ({
      type: 'AppPasswordRevoked',
      v: 1,
      data: { appPasswordId: secretIdOf(accountId, number), revokedAt: NOW },
    })),
    ...Array.from({ length: SECRETS_PER_ACCOUNT }, (_, n) => created(n + 1, any(`${n} `, TEXT_BYTES.secretName))),
  ];
  return commitOf(`app-passwords-${accountId}`, accountId, events);
}

const commitOf = (stream: string, accountId: number, events: readonly StoredEvent[]): NewCommit => ({
  stream,
  partition: String(accountId),
  version: 1,
  command: { id: randomUUID(), type: 'Fill', hash: 'hash' },
  at: NOW,
  actor: 'account:1',
  correlation: 'a full store',
  events,
});
