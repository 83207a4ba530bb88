import fc from 'fast-check';
import { expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { accountState, addSshKey, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { MINUTE } from '../../testing/settable-clock.js';
import {
  LookUpPastSshKeysHandler,
  LookUpPastSshKeysQuery,
  LookUpSshKeysHandler,
  LookUpSshKeysQuery,
} from './look-up-keys.js';

const SFTP = 1 << 10;
const NAMES = ['ann', 'bob'] as const;

/** A change of one of three accounts; those that the service refuses change nothing. */
type Change = (service: EmbeddedService, id: number) => Promise<unknown>;

const named =
  (username: string): Change =>
  (service, id) =>
    updateAccount(service, id, { username });
const permitted =
  (permission: number): Change =>
  (service, id) =>
    updateAccount(service, id, { permission });
const disabled =
  (isDisabled: boolean): Change =>
  (service, id) =>
    updateAccount(service, id, { disabled: isDisabled });
const deleted: Change = (service, id) => changeAccount(service, id, { type: 'DeleteAccount' });
const keyAdded =
  (n: number, lifetime: number | undefined): Change =>
  (service, accountId) => {
    const expiresAt = lifetime === undefined ? undefined : service.clock.now() + lifetime;
    return addSshKey(service, accountId, `key ${n}`, { expiresAt });
  };
const registered =
  (username: string): Change =>
  async (service, id) => {
    if ((await accountState(service, id)).status !== 'absent') return;
    await registerAccount(service, id, username);
    await updateAccount(service, id, { permission: SFTP });
  };

const changes = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(...NAMES, 'other 1', 'other 2').map(named),
      fc.constantFrom(SFTP, 0).map(permitted),
      fc.boolean().map(disabled),
      fc.constant(deleted),
      fc.tuple(fc.nat(1), fc.constantFrom(undefined, 3 * MINUTE)).map(([n, lifetime]) => keyAdded(n, lifetime)),
      fc.constantFrom(...NAMES).map(registered),
    ),
    fc.integer({ min: 7, max: 9 }),
  ),
  { minLength: 20, maxLength: 60 },
);

it('the past answers of random histories are those that were given at the time', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(changes, async (history) => {
      const service = new EmbeddedService();
      const present = new LookUpSshKeysHandler(service.loader, service.names, service.clock);
      const past = new LookUpPastSshKeysHandler(service.store, service.names);
      const given: { name: string; at: number; answer: unknown }[] = [];
      for (const [change, id] of [[registered('ann'), 7], [keyAdded(0, undefined), 7], ...history] as const) {
        await change(service, id).catch(() => {});
        for (const name of NAMES) {
          const answer = await present.execute(new LookUpSshKeysQuery(name));
          given.push({ name, at: service.clock.now(), answer });
          if (answer && answer.keys.length > 0) answered++;
        }
        service.clock.advance(MINUTE);
      }
      for (const { name, at, answer } of given)
        expect(await past.execute(new LookUpPastSshKeysQuery(name, undefined, at))).toEqual(answer);
    }),
    { numRuns: 30 },
  );
  expect(answered).toBeGreaterThan(100);
});

it('a past answer can be limited to one key', async () => {
  const service = new EmbeddedService();
  for (const change of [registered('ann'), keyAdded(0, undefined), keyAdded(1, undefined)]) await change(service, 7);
  const at = service.clock.now();
  const past = new LookUpPastSshKeysHandler(service.store, service.names);
  const found = await past.execute(new LookUpPastSshKeysQuery('ann', publicKey('key 1').fingerprint, at));
  expect(found?.keys.map(({ title }) => title)).toEqual(['key 1']);
});
