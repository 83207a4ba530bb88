import { Sealer } from '@keyfold/security';
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
const sealer = new Sealer([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const text = textOfManifest(manifest, sealer);

describe('a manifest', () => {
  it('is read as it was written', () => {
    expect(parseManifest(text, sealer)).toEqual({ ...manifest, isSigned: true });
  });

  it('is refused with any changed, missing or added byte', () => {
    for (let index = 0; index < text.length; index++) {
      const flipped = String.fromCharCode(text.charCodeAt(index) ^ 1);
      expect(() => parseManifest(text.slice(0, index) + flipped + text.slice(index + 1), sealer), `${index}`).toThrow(
        UnusableBackup,
      );
      expect(() => parseManifest(text.slice(0, index), sealer)).toThrow(UnusableBackup);
    }
    expect(() => parseManifest(`${text}\n`, sealer)).toThrow(UnusableBackup);
  });

  it('is refused if it was written with another key of the same id', () => {
    const other = new Sealer([{ id: 'k1', key: Buffer.alloc(32, 8) }]);
    expect(() => parseManifest(text, other)).toThrow(UnusableBackup);
    expect(() => parseManifest(textOfManifest(manifest, other), sealer)).toThrow('its HMAC differs');
  });

  it('is in doubt without its key or without an HMAC', () => {
    const later = new Sealer([{ id: 'k2', key: Buffer.alloc(32, 8) }]);
    for (const keys of [undefined, later])
      expect(parseManifest(text, keys)).toEqual({
        ...manifest,
        doubt: expect.stringContaining('the sealing key k1'),
        isSigned: true,
      });
    expect(parseManifest(textOfManifest(manifest, undefined), sealer)).toEqual({
      ...manifest,
      doubt: 'manifest.json has no HMAC',
      isSigned: false,
    });
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
    expect(() => parseManifest(textOfManifest({ ...manifest, ...differing }, sealer), sealer)).toThrow(problem);
  });
});
