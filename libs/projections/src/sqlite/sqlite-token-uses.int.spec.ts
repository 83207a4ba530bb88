import { expect, it } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { describeTokenUses } from '../../testing/token-uses.contract.js';
import { SqliteTokenUses } from './sqlite-token-uses.js';

const open = async () => new SqliteTokenUses(new EmbeddedProjections().views);

describeTokenUses('SQLite', open);

it('a use that is recorded later removes those of expired tokens', async () => {
  const uses = await open();
  await uses.record({ token: 'expired', at: 10, until: 20 });
  await uses.record({ token: 'other', at: 19, until: 90 });
  expect(await uses.lastUses(['expired'])).toEqual(new Map([['expired', 10]]));
  await uses.record({ token: 'other', at: 20, until: 90 });
  expect(await uses.lastUses(['expired', 'other'])).toEqual(new Map([['other', 20]]));
});

it('each use of a token that never expires keeps its record for longer', async () => {
  const uses = await open();
  await uses.record({ token: 'forever', at: 10, until: 110 });
  await uses.record({ token: 'forever', at: 100, until: 200 });
  await uses.record({ token: 'other', at: 150, until: 250 });
  expect(await uses.lastUses(['forever'])).toEqual(new Map([['forever', 100]]));
});
