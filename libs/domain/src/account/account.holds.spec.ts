import { expect, it } from 'vitest';
import { nameHashOf } from '../../testing/account.events.js';
import { parseUsernameHold, releasedNameHold, usernameHold, usernameHoldPrefix } from './account.holds.js';

it('the holds of a name sort in byte order by turn, each release after its turn, and can be parsed', () => {
  const ann = nameHashOf('ann');
  const turns = [1, 2, 9, 10, 99, 1_000_000];
  const inOrder = turns.flatMap((turn) => [usernameHold(ann, turn).key, releasedNameHold(ann, turn).key]);
  const sorted = inOrder.map((key) => Buffer.from(key)).toSorted(Buffer.compare);
  expect(sorted.map(String)).toStrictEqual(inOrder);
  expect(inOrder.filter((key) => !key.startsWith(usernameHoldPrefix(ann)))).toEqual([]);
  const parsed = turns.flatMap((turn) => [
    { turn, released: false },
    { turn, released: true },
  ]);
  expect(inOrder.map(parseUsernameHold)).toStrictEqual(parsed);
});
