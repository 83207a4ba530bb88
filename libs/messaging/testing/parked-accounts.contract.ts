import { beforeAll, describe, expect, it } from 'vitest';
import type { ParkedAccount, ParkedAccounts } from '../src/relay/parked-accounts.js';

/** Runs the contract of the port against an adapter. Each test has a slot of its own. */
export function describeParkedAccounts(name: string, open: () => Promise<ParkedAccounts>): void {
  describe(`${name} keeps the contract of parked accounts`, () => {
    let accounts: ParkedAccounts;
    let slot = 0;
    beforeAll(async () => {
      accounts = await open();
    });
    const parked = (details: Partial<ParkedAccount> = {}): ParkedAccount => ({
      slot,
      partition: '7',
      position: 5,
      error: 'unknown event AccountArchived',
      at: 1_768_478_400_000,
      epoch: 1,
      ...details,
    });
    const nextSlot = () => (slot += 1);

    it('a record is returned unchanged, among all records and among those of its slot', async () => {
      nextSlot();
      await accounts.park(parked());
      expect(await accounts.all(slot)).toEqual([parked()]);
      expect(await accounts.all()).toContainEqual(parked());
      expect(await accounts.all(slot + 1)).toEqual([]);
    });

    it('each account of a slot has its own record, oldest first', async () => {
      nextSlot();
      await accounts.park(parked({ partition: '8', at: 2 }));
      await accounts.park(parked({ partition: '9', at: 1 }));
      expect((await accounts.all(slot)).map(({ partition }) => partition)).toEqual(['9', '8']);
      const { total } = await accounts.page(0, 0);
      const { items } = await accounts.page(0, 2);
      expect(items.map(({ at }) => at)).toEqual([1, 2]);
      expect(await accounts.page(1, 1)).toEqual({ items: items.slice(1), total });
      expect((await accounts.all()).length).toBe(total);
    });

    it('an account has one record, the last one written', async () => {
      nextSlot();
      await accounts.park(parked());
      await accounts.park(parked({ position: 9, error: 'another reason', epoch: 2 }));
      await accounts.park(parked({ position: 12, epoch: 2 }));
      expect(await accounts.all(slot)).toEqual([parked({ position: 12, epoch: 2 })]);
    });

    it('a process that lost the slot cannot change the records of its successor', async () => {
      nextSlot();
      const current = parked({ position: 5, epoch: 3 });
      await accounts.park(current);
      await accounts.park(parked({ position: 9, epoch: 2 }));
      await accounts.unpark(parked({ position: 5, epoch: 2 }));
      expect(await accounts.all(slot)).toEqual([current]);
    });

    it('a record can be removed, and removing it again does nothing', async () => {
      nextSlot();
      await accounts.park(parked());
      await accounts.park(parked({ partition: '8' }));
      await accounts.unpark(parked());
      await accounts.unpark(parked());
      expect(await accounts.all(slot)).toEqual([parked({ partition: '8' })]);
    });

    it('removing a record keeps one that was rewritten with another position', async () => {
      nextSlot();
      await accounts.park(parked({ position: 9 }));
      await accounts.unpark(parked({ position: 5 }));
      expect(await accounts.all(slot)).toEqual([parked({ position: 9 })]);
    });

    it('a requested retry is taken once, with its slot, and the record stays as it is', async () => {
      nextSlot();
      const [asked, other] = [parked({ partition: `asked ${slot}` }), parked({ partition: `other ${slot}` })];
      for (const each of [asked, other]) await accounts.park(each);
      for (const _ of [1, 2]) expect(await accounts.requestRetry(asked.partition)).toBe(true);
      expect(await accounts.all(slot)).toEqual([asked, other]);
      expect(await accounts.takeRetries([slot + 1])).toEqual([]);
      expect(await accounts.takeRetries([slot, slot + 1])).toMatchObject([{ slot, partition: asked.partition }]);
      expect(await accounts.takeRetries([slot])).toEqual([]);
      expect(await accounts.requestRetry(asked.partition)).toBe(true);
      expect(await accounts.takeRetries([slot])).toHaveLength(1);
    });

    it('a retry of an account that is not parked is not requested', async () => {
      nextSlot();
      expect(await accounts.requestRetry(`free ${slot}`)).toBe(false);
      expect(await accounts.takeRetries([slot])).toEqual([]);
    });

    it('special characters in names and errors are stored unchanged', async () => {
      nextSlot();
      const odd = parked({ partition: '$site.settings', error: "it's 'odd' \u0000 $set" });
      await accounts.park(odd);
      expect(await accounts.all(slot)).toEqual([odd]);
    });
  });
}
