import { describe, expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { stateAfter } from '../../testing/decider-specification.js';
import { appPasswordCreated as created, appPasswordRevoked as revoked } from '../../testing/named-secrets.events.js';
import {
  appPasswordsAggregate,
  FORMER_APP_PASSWORDS,
  FORMER_KEPT_FOR,
  isFormerKept,
  type AppPasswordsEvent,
} from './app-passwords.js';
import { secretIdOf, SECRETS_PER_ACCOUNT } from './named-secrets.js';

const many = <Item>(count: number, item: (n: number) => Item) => Array.from({ length: count }, (_, n) => item(n + 1));
const formerAfter = (...events: readonly AppPasswordsEvent[]) =>
  stateAfter(appPasswordsAggregate.decider, ...events).former;
const former = (n: number, endedAt: number) => ({ id: secretIdOf(7, n), hash: `hash of ${n}`, endedAt });

describe('the hash of an app password is kept', () => {
  it('from its revocation on', () => {
    expect(formerAfter(created(1), created(2))).toEqual([]);
    expect(formerAfter(created(1), created(2), revoked(2, NOON + 5), revoked(1, NOON + 7))).toEqual([
      former(2, NOON + 5),
      former(1, NOON + 7),
    ]);
  });

  it('from the creation of the one to which it gave way', () => {
    const expired = { expiresAt: NOON + MINUTE };
    const later = { createdAt: NOON + 2 * MINUTE };
    expect(formerAfter(created(1, { name: 'phone', ...expired }), created(2, { name: 'phone', ...later }))).toEqual([
      former(1, NOON + 2 * MINUTE),
    ]);
    const full = many(SECRETS_PER_ACCOUNT, (n) => created(n, n === 5 ? expired : {}));
    expect(formerAfter(...full, created(101, later))).toEqual([former(5, NOON + 2 * MINUTE)]);
  });

  it('for 90 days, or until later ones take its place', () => {
    expect(isFormerKept({ endedAt: NOON }, NOON + FORMER_KEPT_FOR - 1)).toBe(true);
    expect(isFormerKept({ endedAt: NOON }, NOON + FORMER_KEPT_FOR)).toBe(false);
    const old = [created(1), revoked(1, NOON), created(2)];
    expect(formerAfter(...old, revoked(2, NOON + FORMER_KEPT_FOR - 1))).toHaveLength(2);
    expect(formerAfter(...old, revoked(2, NOON + FORMER_KEPT_FOR))).toEqual([former(2, NOON + FORMER_KEPT_FOR)]);
    const churn = many(250, (n) => [created(n), revoked(n)]).flat();
    expect(formerAfter(...churn)).toEqual(many(FORMER_APP_PASSWORDS, (n) => former(150 + n, NOON)));
  });

  it('of all that an account can revoke at the same time', () => {
    const full = many(SECRETS_PER_ACCOUNT, (n) => created(n));
    expect(formerAfter(...full, ...full.map((_, index) => revoked(index + 1)))).toHaveLength(SECRETS_PER_ACCOUNT);
  });
});
