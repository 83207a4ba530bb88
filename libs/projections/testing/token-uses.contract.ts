import { describe, expect, it } from 'vitest';
import type { TokenUses } from '../src/token-uses.js';

/** Runs the contract of the port `TokenUses` against an adapter; `open` returns an empty one in every test. */
export function describeTokenUses(name: string, open: () => Promise<TokenUses>): void {
  describe(`${name} keeps the contract of the uses of tokens`, () => {
    const until = Math.floor(Date.now() / 1000) + 3_600;

    it('returns the latest use of each token that has one, in whatever order they are recorded, until it is forgotten', async () => {
      const uses = await open();
      const at = Array.from({ length: 300 }, (_, index) => ((index * 7) % 300) + 1);
      await Promise.all(at.map((each) => uses.record({ token: 's1', at: each, until })));
      await uses.record({ token: 's2', at: 5, until });
      expect(await uses.lastUses(['s1', 's2', 's3'])).toEqual(
        new Map([
          ['s1', 300],
          ['s2', 5],
        ]),
      );
      expect(await uses.lastUses([])).toEqual(new Map());
      await uses.forget(['s1', 's3']);
      expect(await uses.lastUses(['s1', 's2'])).toEqual(new Map([['s2', 5]]));
    });
  });
}
