import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessTokensAggregate } from '../src/named-secrets/access-tokens.js';
import { accountAggregate } from '../src/account/account.decider.js';
import { appPasswordsAggregate } from '../src/named-secrets/app-passwords.js';
import { erasuresAggregate } from '../src/erasures/erasures.decider.js';
import { openlistUserAggregate } from '../src/openlist-user/openlist-user.decider.js';
import type { DomainEvent, StoredEvent } from '../src/kernel/event.js';
import { UnknownEvent, upcast, type Upcasters } from '../src/kernel/upcasting.js';
import { sessionAggregate } from '../src/session/session.decider.js';
import { siteSettingsAggregate } from '../src/site-settings/site-settings.decider.js';
import { sshKeyRingAggregate } from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import { sshKeyUseAggregate } from '../src/ssh-key-use/ssh-key-use.decider.js';
import type { Aggregate } from '../src/kernel/aggregate.js';
import { fold } from '../testing/fold.js';

/**
 * An example of a stored event. Neither the file of a released version nor its upcaster is ever removed. `given` names the golden events before it
 * in the stream, and `state` contains fields of the state after it.
 */
type Golden = Readonly<{ given: readonly string[]; event: StoredEvent; state: Readonly<Record<string, unknown>> }>;

/** The golden events by name. Each aggregate has a folder of its name. */
const golden = new Map(
  globSync('**/*.json', { cwd: import.meta.dirname }).map((file) => [
    basename(file, '.json'),
    JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Golden,
  ]),
);

const suites = [
  suite(accountAggregate),
  suite(sessionAggregate),
  suite(sshKeyRingAggregate),
  suite(sshKeyUseAggregate),
  suite(accessTokensAggregate),
  suite(appPasswordsAggregate),
  suite(siteSettingsAggregate),
  suite(erasuresAggregate),
  suite(openlistUserAggregate),
];

describe.each(suites)('the events of $name', ({ upcasters, rows, stateAfter }) => {
  it.each(rows)('%s has a file and leads to the recorded state', (row) => {
    expect([...golden.keys()]).toContain(row);
    const { given, event, state } = golden.get(row)!;
    expect(`${event.type}.v${event.v}`).toBe(row);
    expect(stateAfter([...given.map((before) => golden.get(before)!.event), event])).toMatchObject(state);
  });

  it.each(Object.keys(upcasters))('%s of a version that was never written is refused', (type) => {
    const later = { type, v: upcasters[type]!.length + 2, data: {} };
    expect(() => upcast(upcasters, later)).toThrow(UnknownEvent);
  });

  it('of an unknown type are refused', () => {
    expect(() => upcast(upcasters, { type: 'MoonLanded', v: 1, data: {} })).toThrow(UnknownEvent);
  });
});

it('every golden file belongs to one row of one table', () => {
  const rows = suites.flatMap((each) => each.rows);
  expect([...golden.keys()].toSorted()).toStrictEqual(rows.toSorted());
});

/** Returns the parts of an aggregate that the tests need, without its types. */
function suite<Id, State, Command, Event extends DomainEvent>(aggregate: Aggregate<Id, State, Command, Event>) {
  const { name, upcasters } = aggregate;
  const stateAfter = (events: readonly StoredEvent[]): unknown => fold(aggregate, events);
  return { name, upcasters, rows: rowsOf(upcasters), stateAfter };
}

/** Returns the names of the golden files that a table of upcasters requires. */
function rowsOf(upcasters: Upcasters): string[] {
  return Object.entries(upcasters).flatMap(([type, steps]) => [...steps, 'current'].map((_, n) => `${type}.v${n + 1}`));
}
