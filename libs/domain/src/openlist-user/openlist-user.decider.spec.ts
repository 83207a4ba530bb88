import { expect, it } from 'vitest';
import { given } from '../../testing/decider-specification.js';
import { openlistUserDecider } from './openlist-user.decider.js';
import type { OpenListUserLinked } from './openlist-user.events.js';

const linked = (userId: number, password: string): OpenListUserLinked => ({
  type: 'OpenListUserLinked',
  v: 1,
  data: { accountId: 7, userId },
  sealed: { password },
});
const link = (userId: number, sealedPassword: string) =>
  ({ type: 'LinkOpenListUser', accountId: 7, userId, sealedPassword }) as const;

it('a later link replaces the earlier one', () => {
  const rule = given(openlistUserDecider, linked(3, 'a'));
  rule.when(link(4, 'b')).thenEvents(linked(4, 'b')).thenHolds();
  const state = [linked(3, 'a'), linked(4, 'b')].reduce(
    (user, event) => openlistUserDecider.evolve(user, event),
    openlistUserDecider.initialState,
  );
  expect(state).toEqual({ accountId: 7, userId: 4, sealedPassword: 'b' });
});

it('resealing keeps the user and replaces the password, unless that was replaced in the meantime', () => {
  const reseal = { type: 'ResealSecrets', resealed: new Map([['a', 'a2']]) } as const;
  given(openlistUserDecider, linked(3, 'a')).when(reseal).thenEvents(linked(3, 'a2')).thenHolds();
  given(openlistUserDecider, linked(3, 'b')).when(reseal).thenNothing();
});
