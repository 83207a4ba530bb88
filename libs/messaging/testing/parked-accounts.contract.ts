import { beforeAll, describe, expect, it } from 'vitest';
import type { ParkedAccount, ParkedAccounts } from '../src/relay/parked-accounts.js';

/** Runs the contract of the port against an adapter. Each case has accounts of its own. */
export function describeParkedAccounts(name: string, open: () => Promise<ParkedAccounts>): void {
  describe(`${name} keeps the contract of parked relays`, () => {
    let relays: ParkedAccounts;
    let slot = 0;
    beforeAll(async () => {
      relays = await open();
    });
    const parked = (details: Partial<ParkedAccount> = {}): ParkedAccount => ({
      slot,
      partition: '7',
      position: 5,
      error: 'nobody knows AccountArchived',
      at: 1_768_478_400_000,
      epoch: 1,
      ...details,
    });
    const nextSlot = () => (slot += 1);

    it('a record is answered as it was written, to who asks for all and to who asks for its slot', async () => {
      nextSlot();
      await relays.park(parked());
      expect(await relays.all(slot)).toEqual([parked()]);
      expect(await relays.all()).toContainEqual(parked());
      expect(await relays.all(slot + 1)).toEqual([]);
    });

    it('accounts of a slot are kept apart, the oldest first', async () => {
      nextSlot();
      await relays.park(parked({ partition: '8', at: 2 }));
      await relays.park(parked({ partition: '9', at: 1 }));
      expect((await relays.all(slot)).map(({ partition }) => partition)).toEqual(['9', '8']);
    });

    it('an account has one record, the last that was written', async () => {
      nextSlot();
      await relays.park(parked());
      await relays.park(parked({ position: 9, error: 'another reason', epoch: 2 }));
      await relays.park(parked({ position: 12, epoch: 2 }));
      expect(await relays.all(slot)).toEqual([parked({ position: 12, epoch: 2 })]);
    });

    it('a process that lost the slot changes nothing of who has it now', async () => {
      nextSlot();
      const current = parked({ position: 5, epoch: 3 });
      await relays.park(current);
      await relays.park(parked({ position: 9, epoch: 2 }));
      await relays.unpark(parked({ position: 5, epoch: 2 }));
      expect(await relays.all(slot)).toEqual([current]);
    });

    it('a record that is removed is gone, and may be removed again', async () => {
      nextSlot();
      await relays.park(parked());
      await relays.park(parked({ partition: '8' }));
      await relays.unpark(parked());
      await relays.unpark(parked());
      expect(await relays.all(slot)).toEqual([parked({ partition: '8' })]);
    });

    it('a record that was written again for another position is not removed with the one before', async () => {
      nextSlot();
      await relays.park(parked({ position: 9 }));
      await relays.unpark(parked({ position: 5 }));
      expect(await relays.all(slot)).toEqual([parked({ position: 9 })]);
    });

    it('names and errors are taken as they are', async () => {
      nextSlot();
      const odd = parked({ partition: '$site.settings', error: "it's 'odd' \u0000 $set" });
      await relays.park(odd);
      expect(await relays.all(slot)).toEqual([odd]);
    });
  });
}
