import type { OutgoingMessage } from '@keyfold/messaging';
import { outgoingMessage, type PublicEvent } from '@keyfold/messaging/events';
import { seededRandom } from '../../fault/seeded-random.js';

/** The messages to publish, in order, and what a subscriber stores after it handles each exactly once. */
export type EventRun = Readonly<{
  publications: readonly Publication[];
  /** Event ids in the order in which they take effect. */
  history: readonly string[];
  keys: ReadonlyMap<number, number>;
  disabled: ReadonlySet<number>;
}>;

/** A message. Keyfold never sends a `malformed` one. */
export type Publication = Readonly<{ message: OutgoingMessage; malformed?: true }>;

const ACCOUNTS = 5;
const NOON = Date.UTC(2026, 0, 15, 12);

/**
 * Generates events of some accounts as the relay sends them after faults: with immediate duplicates, late duplicates
 * and malformed messages.
 */
export function eventRun(count: number, seed = 1): EventRun {
  const random = seededRandom(seed);
  const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const accounts = new Accounts();
  const sent: OutgoingMessage[] = [];
  const publications: Publication[] = [];
  while (sent.length < count) {
    const accountId = 1 + Math.floor(random() * ACCOUNTS);
    for (const event of accounts.change(accountId, random())) {
      const message = outgoingMessage(event);
      sent.push(message);
      publications.push({ message });
      if (random() < 0.15) publications.push({ message });
      const earlier = oneOf(sent);
      if (earlier && random() < 0.15) publications.push({ message: earlier });
      if (random() < 0.1) publications.push({ message: malformed(message, random()), malformed: true });
    }
  }
  return { publications, history: sent.map(({ id }) => id), keys: accounts.keys, disabled: accounts.disabled };
}

/** Accounts that change at random, and the resulting state. */
class Accounts {
  /** Maps each key to its account. */
  readonly keys = new Map<number, number>();
  readonly disabled = new Set<number>();
  readonly #versions = new Map<string, number>();
  #nextKey = 1;

  /** Returns the events of one commit; `choice` is in [0, 1). */
  change(accountId: number, choice: number): PublicEvent[] {
    const account = { accountId };
    const held = [...this.keys].find(([, owner]) => owner === accountId)?.[0];
    if (choice < 0.4) return [this.#added(accountId)];
    if (choice < 0.6 && held !== undefined) {
      this.keys.delete(held);
      const data = { ...account, keyId: held, fingerprint: 'SHA256:k1lHAp' };
      return [this.#event(`ssh-keys-${accountId}`, accountId, { type: 'ssh-key.removed', data })];
    }
    const stream = `account-${accountId}`;
    if (choice < 0.7) {
      this.disabled.add(accountId);
      return [this.#event(stream, accountId, { type: 'account.disabled', data: account })];
    }
    if (choice < 0.8) {
      this.disabled.delete(accountId);
      return [this.#event(stream, accountId, { type: 'account.enabled', data: account })];
    }
    if (choice < 0.82) {
      for (const [key, owner] of this.keys) if (owner === accountId) this.keys.delete(key);
      return [this.#event(stream, accountId, { type: 'account.deleted', data: { ...account, username: 'maria' } })];
    }
    // Two events of one commit share a version.
    const first = this.#event(stream, accountId, { type: 'account.changed', data: { ...account, basePath: '/team' } });
    const second = { type: 'account.changed', data: { ...account, permission: 1280 } } as const;
    return [first, { ...first, ...second, id: first.id.replace(/:0$/, ':1') }];
  }

  #added(accountId: number): PublicEvent {
    const keyId = this.#nextKey++;
    this.keys.set(keyId, accountId);
    return this.#event(`ssh-keys-${accountId}`, accountId, {
      type: 'ssh-key.added',
      data: {
        accountId,
        keyId,
        title: `key "${keyId}" 🔑`,
        type: 'ssh-ed25519',
        publicKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA${keyId}`,
        fingerprint: 'SHA256:k1lHAp',
        bits: 256,
        addedAt: '2026-01-15T12:00:00.000Z',
      },
    });
  }

  #event(stream: string, accountId: number, said: Pick<PublicEvent, 'type' | 'data'>): PublicEvent {
    // Versions have gaps because some commits publish no event.
    const streamVersion = (this.#versions.get(stream) ?? 0) + 1 + (accountId % 2);
    this.#versions.set(stream, streamVersion);
    const id = `${stream}:${streamVersion}:0`;
    const partition = String(accountId);
    return { ...said, id, at: NOON, partition, stream, streamVersion, correlation: 'run' } as PublicEvent;
  }
}

/** Returns a broken copy of a message with the next version. */
function malformed(message: OutgoingMessage, choice: number): OutgoingMessage {
  const next = { ...message, headers: { ...message.headers, cloudEvents_id: message.id.replace(/:\d+$/, ':999999') } };
  const broken: readonly OutgoingMessage[] = [
    { ...next, body: Buffer.from('{"accountId": 1') },
    { ...next, body: Buffer.from('{"accountId": NaN}') },
    { ...next, body: Buffer.from([0xff, 0xfe, 0x00]) },
    { ...next, body: Buffer.alloc(0) },
    { ...next, body: Buffer.from('['.repeat(100_000)) },
    { ...next, body: Buffer.from(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) },
    { ...message, headers: {} },
    { ...message, headers: { ...message.headers, cloudEvents_id: 'account-1' } },
    { ...message, headers: { ...message.headers, cloudEvents_id: `account-1:${'9'.repeat(40)}:0` } },
    { ...message, headers: { ...message.headers, cloudEvents_id: 7 as unknown as string } },
    { ...message, headers: { ...message.headers, cloudEvents_id: { stream: 'account-1' } as unknown as string } },
    { ...next, headers: { ...next.headers, cloudEvents_type: true as unknown as string } },
  ];
  return broken[Math.floor(choice * broken.length)] ?? message;
}
