import { describe, expect, it } from 'vitest';
import type { LoginHours } from '../src/throttle/login-hours.js';

/** The present hour, because MongoDB removes old ones. */
const NOW = Math.floor(Date.now() / 3_600_000);

/** Tests that an adapter fulfils the contract of `LoginHours`. `join` opens the same counts as another process or thread. */
export function describeLoginHours(
  name: string,
  open: () => Promise<Readonly<{ hours: LoginHours; join(): Promise<LoginHours> }>>,
): void {
  describe(`${name} fulfils the contract of LoginHours`, () => {
    it('counts of several processes add up by hour', async () => {
      const { hours, join } = await open();
      const others = await join();
      await hours.add([
        { hour: NOW - 1, accepted: 2, refused: 1 },
        { hour: NOW, accepted: 1, refused: 0 },
      ]);
      await Promise.all([hours, others, others].map((each) => each.add([{ hour: NOW, accepted: 10, refused: 100 }])));
      for (const each of [hours, others])
        expect(await each.between(NOW - 1, NOW)).toEqual([
          { hour: NOW - 1, accepted: 2, refused: 1 },
          { hour: NOW, accepted: 31, refused: 300 },
        ]);
    });

    it('only the wanted hours are returned, without those that have no counts', async () => {
      const { hours } = await open();
      await hours.add([NOW, NOW - 3, NOW - 5].map((hour) => ({ hour, accepted: 1, refused: 0 })));
      expect((await hours.between(NOW - 4, NOW - 1)).map(({ hour }) => hour)).toEqual([NOW - 3]);
      expect((await hours.between(NOW - 5, NOW)).map(({ hour }) => hour)).toEqual([NOW - 5, NOW - 3, NOW]);
    });

    it('an hour that a clock years ahead has left does not forget the present one', async () => {
      const { hours } = await open();
      for (const hour of [NOW + 100_000, NOW]) await hours.add([{ hour, accepted: 1, refused: 0 }]);
      expect(await hours.between(NOW - 1, NOW)).toEqual([{ hour: NOW, accepted: 1, refused: 0 }]);
    });

    it('nothing to add changes nothing', async () => {
      const { hours } = await open();
      await hours.add([]);
      expect(await hours.between(0, NOW)).toEqual([]);
    });
  });
}
