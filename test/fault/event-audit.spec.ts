import type { Commit } from '@keyfold/event-store';
import { publicEventsOf } from '@keyfold/messaging/events';
import { expect, it } from 'vitest';
import type { SeenEvent } from '../support/rabbitmq/event-subscriber.js';
import { EventAudit } from './event-audit.js';

/** The removal of a key whose id is the position. */
const removal = (position: number): Commit => ({
  partition: '7',
  stream: 'ssh-keys-7',
  version: position,
  position,
  command: { id: `command-${position}`, type: 'RemoveSshKey', hash: '' },
  at: 0,
  actor: '7',
  correlation: 'test',
  events: [{ type: 'SshKeyRemoved', v: 1, data: { keyId: position, fingerprint: `SHA256:${position}` } }],
});
const commits = [removal(1), removal(2), removal(3)];
const store = { slots: 1, readFeed: async (_: number, after: number) => commits.slice(after) };
const [one, two, three] = commits
  .flatMap(publicEventsOf)
  .map(({ id, type, partition, stream, streamVersion, data }): SeenEvent => ({
    id,
    type,
    partition,
    stream,
    version: streamVersion,
    data,
  })) as [SeenEvent, SeenEvent, SeenEvent];

/** Returns the findings of an audit after a subscriber saw these events. */
async function audited(...seen: SeenEvent[]): Promise<{ audit: EventAudit; violations: string[] }> {
  const has = (id: string) => seen.some((event) => event.id === id);
  const audit = new EventAudit({ count: seen.length, takeEvents: () => seen, has });
  return { audit, violations: await audit.check(store, 0) };
}

it('an audit accepts every event in order and knows the facts that they report', async () => {
  const { audit, violations } = await audited(one, two, three);
  expect(violations).toEqual([]);
  expect(audit.count).toBe(3);
  expect(audit.unreported(['ssh-key.removed 2', 'ssh-key.removed 9'])).toEqual(['ssh-key.removed 9']);
});

it.each([
  ['the last event is missing', [one, two], 'ssh-keys-7:3:0 is missing'],
  ['one in the middle is missing', [one, three], 'ssh-keys-7:2:0 is missing'],
  ['two are swapped', [one, three, two], 'ssh-keys-7:3:0 arrived instead of ssh-key.removed ssh-keys-7:2:0'],
  [
    'one has different data',
    [one, { ...two, data: { ...two.data, keyId: 9 } }, three],
    'ssh-keys-7:2:0 arrived instead of',
  ],
  ['one was never stored', [one, two, three, { ...three, id: 'x' }], 'x arrived instead of nothing'],
])('an audit detects that %s', async (_, seen, sentence) => {
  expect((await audited(...seen)).violations.join('\n')).toContain(sentence);
});
