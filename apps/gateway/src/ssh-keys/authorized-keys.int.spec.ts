import { md5FingerprintOf } from '@keyfold/projections';
import { parseSshPublicKey } from '@keyfold/security';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { publicKey } from '../../../../libs/domain/testing/ssh-key-ring.events.js';
import { generateKey, listedKeys, sshKeygen } from '../../../../test/support/ssh-keygen.js';
import { authorizedKeysText } from './authorized-keys.js';

const keys = ['a', 'b', 'c'].map(publicKey);

/** Titles that would begin another line, another key or options for some program. */
const hostile = [
  `x\nssh-ed25519 ${publicKey('evil').blob} evil`,
  `x\r\ncommand="rm -rf /" ssh-ed25519 ${publicKey('evil').blob}`,
  'x\rcommand="true"',
  'x\u2028ssh-ed25519 AAAA',
  'x\u0085y\u000bz\u000c\u0000end',
  'command="/bin/sh",no-pty',
  '"quoted" \\" and \'single\'',
  '# no comment line',
  '\u202egnp.txt\u2066',
  '   ',
  '',
  'ключ 🔑 鍵',
  '\ud800',
];

function temporaryFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'authorized_keys'), text);
  return join(folder, 'authorized_keys');
}

/** Returns the fingerprints that the real `ssh-keygen -lf` finds in the text. */
const fingerprintsIn = (text: string) =>
  listedKeys(temporaryFile(text))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ')[1]);

const entry = (title: string, key = keys[0]!, expired = false) => ({ ...key, title, expired });

it('ssh-keygen finds exactly the unexpired keys, whatever their titles are', () => {
  const [first, expired, last] = keys;
  const entries = hostile.flatMap((title) => [entry(title, first), entry('gone', expired, true), entry(title, last)]);
  expect(fingerprintsIn(authorizedKeysText(entries))).toEqual(
    hostile.flatMap(() => [first!.fingerprint, last!.fingerprint]),
  );
});

it('no title adds a line, or anything before the key of its line', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile));
  fc.assert(
    fc.property(fc.array(anything, { minLength: 1, maxLength: 3 }), (titles) => {
      const text = Buffer.from(authorizedKeysText(titles.map((title, n) => entry(title, keys[n])))).toString();
      const lines = text.split(/[\n\r\v\f\0\u0085\u2028\u2029]/);
      expect(lines.pop()).toBe('');
      expect(lines).toHaveLength(titles.length);
      for (const [n, line] of lines.entries()) {
        expect(line.split(' ').slice(0, 2)).toEqual([keys[n]!.type, keys[n]!.blob]);
        expect(parseSshPublicKey(line)).toMatchObject({ fingerprint: keys[n]!.fingerprint });
      }
    }),
    { numRuns: 500 },
  );
});

it('a harmless title is the comment, and a key without a title has none', () => {
  expect(authorizedKeysText([entry('my laptop'), entry('')])).toBe(
    `ssh-ed25519 ${keys[0]!.blob} my laptop\nssh-ed25519 ${keys[0]!.blob}\n`,
  );
  expect(authorizedKeysText([])).toBe('');
});

it('the MD5 fingerprint of a key is that of ssh-keygen', () => {
  const { line } = generateKey('ed25519', 256, 'bob');
  const [, printed] = sshKeygen('-l', '-E', 'md5', '-f', temporaryFile(line)).split(' ');
  expect(md5FingerprintOf(parseSshPublicKey(line)!.blob)).toBe(printed);
});
