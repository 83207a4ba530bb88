import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../testing/fold.js';
import { ACCOUNTS, play, story } from '../../testing/story.js';
import type { Aggregate } from '../kernel/aggregate.js';
import type { DomainEvent, StoredEvent } from '../kernel/event.js';
import { accessTokensAggregate } from './access-tokens.js';
import { appPasswordsAggregate } from './app-passwords.js';
import { accountOfSecret, isSecretExpired, type NamedSecret, type NamedSecrets } from './named-secrets.js';

describeKind(accessTokensAggregate, 'AccessToken', 'tokenId');
describeKind(appPasswordsAggregate, 'AppPassword', 'appPasswordId');

function describeKind<Secret extends NamedSecret, Command, Event extends DomainEvent>(
  aggregate: Aggregate<number, NamedSecrets<Secret>, Command, Event>,
  type: string,
  idField: string,
) {
  /** Checks a property of the secrets of each account after random stories: several clients change a few accounts in any order. */
  const always = (holds: (events: readonly StoredEvent[], accountId: number) => void) =>
    fc.assert(
      fc.property(story, (each) => {
        const { log } = play(each);
        for (const accountId of ACCOUNTS) {
          const commits = log.filter(({ stream }) => stream === aggregate.streamOf(accountId));
          const events = commits.flatMap((commit) => commit.events);
          holds(events, accountId);
        }
      }),
      { numRuns: 100 },
    );

  const idsOf = (events: readonly StoredEvent[], action: 'Created' | 'Revoked') =>
    events.filter((event) => event.type === `${type}${action}`).map(({ data }) => Number(data[idField]));

  const expectUnique = (values: readonly unknown[]) => expect(values).toStrictEqual([...new Set(values)]);

  describe(`the secrets of ${aggregate.name}`, () => {
    it('have unique names until they expire', () => {
      always((events) => {
        for (let n = 1; n <= events.length; n++) {
          const { secrets } = fold(aggregate, events.slice(0, n));
          const lastCreation = secrets.at(-1)?.createdAt ?? 0;
          expectUnique(secrets.filter((each) => !isSecretExpired(each, lastCreation)).map(({ name }) => name));
        }
      });
    });

    it('have ids that increase and identify the account', () => {
      always((events, accountId) => {
        const ids = idsOf(events, 'Created');
        expectUnique(ids);
        expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
        expect(ids.map(accountOfSecret)).toStrictEqual(ids.map(() => accountId));
      });
    });

    it('never return after their revocation', () => {
      always((events) => {
        const revoked = idsOf(events, 'Revoked');
        expectUnique(revoked);
        expect(fold(aggregate, events).secrets.filter(({ id }) => revoked.includes(id))).toEqual([]);
      });
    });
  });
}
