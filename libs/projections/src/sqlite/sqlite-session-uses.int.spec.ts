import { expect, it } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { describeSessionUses } from '../../testing/session-uses.contract.js';
import { SqliteSessionUses } from './sqlite-session-uses.js';

const open = async () => new SqliteSessionUses(new EmbeddedProjections().views);

describeSessionUses('SQLite', open);

it('a use that is recorded later removes those of expired sessions', async () => {
  const uses = await open();
  await uses.record({ session: 'expired', at: 10, until: 20 });
  await uses.record({ session: 'other', at: 19, until: 90 });
  expect(await uses.lastUses(['expired'])).toEqual(new Map([['expired', 10]]));
  await uses.record({ session: 'other', at: 20, until: 90 });
  expect(await uses.lastUses(['expired', 'other'])).toEqual(new Map([['other', 20]]));
});
