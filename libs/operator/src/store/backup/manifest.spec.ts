import { describe, expect, it } from 'vitest';
import { parseManifest, textOfManifest, UnusableBackup, type Manifest } from './manifest.js';

const part = (number: number, after: number, upTo: number) => ({
  file: `00000${number}.commits.gz`,
  bytes: 100,
  sha256: 'a'.repeat(64),
  commits: upTo - after,
  cutAt: 1_795_660_393_969,
  slots: [{ slot: 0, after, upTo }],
});

const manifest: Manifest = {
  format: 1,
  keyfold: 'Keyfold v0.3.0',
  store: 'sqlite',
  encryption: 'none',
  parts: [part(1, 0, 5), part(2, 5, 7)],
  runs: 3,
  heads: [{ slot: 0, position: 7, command: 'b'.repeat(64) }],
  counters: { account: 12 },
  relay: {
    checkpoints: [{ slot: 0, position: 6 }],
    parked: [{ slot: 0, partition: '7', position: 3, error: 'no queue', at: 1 }],
  },
  sealingKeys: ['k1'],
  erased: [{ accountId: 9, erasedAt: 2 }],
};
const text = textOfManifest(manifest);

describe('a manifest', () => {
  it('is read as it was written', () => {
    expect(parseManifest(text)).toEqual(manifest);
  });

  it('is refused with any changed, missing or added byte', () => {
    for (let index = 0; index < text.length; index++) {
      const flipped = String.fromCharCode(text.charCodeAt(index) ^ 1);
      expect(() => parseManifest(text.slice(0, index) + flipped + text.slice(index + 1)), `${index}`).toThrow(
        UnusableBackup,
      );
      expect(() => parseManifest(text.slice(0, index))).toThrow(UnusableBackup);
    }
    expect(() => parseManifest(`${text}\n`)).toThrow(UnusableBackup);
  });

  it.each([
    ['a part that follows no other', { parts: [part(1, 0, 5), part(2, 6, 8)] }, 'does not follow the part before it'],
    [
      'a part with another number of commits',
      { parts: [{ ...part(1, 0, 7), commits: 6 }] },
      'another number of commits',
    ],
    ['parts that end before its heads', { parts: [part(1, 0, 5)] }, 'do not reach its heads'],
    ['a file elsewhere', { parts: [{ ...part(1, 0, 7), file: '../000001.commits.gz' }] }, 'Invalid string'],
    ['a later format', { format: 2 as never }, 'has format 2. Use the version of Keyfold that wrote it'],
  ])('with %s is refused', (_, differing, problem) => {
    expect(() => parseManifest(textOfManifest({ ...manifest, ...differing }))).toThrow(problem);
  });
});
