import { expect, it } from 'vitest';
import { prefixOf, md5FingerprintOf } from './key-owners.js';

const blob = Buffer.from('any bytes').toString('base64');

it('the prefix of a fingerprint is its first six bytes', () => {
  const bytes = Buffer.from('0102030405060708'.repeat(4), 'hex');
  expect(prefixOf(`SHA256:${bytes.toString('base64').replace(/=+$/, '')}`)).toBe(0x010203040506);
  expect(prefixOf('MD5:ff:ee:dd:cc:bb:aa:99:88:77:66:55:44:33:22:11:00')).toBe(0xffeeddccbbaa);
  expect(prefixOf(md5FingerprintOf(blob))).toBe(
    parseInt(md5FingerprintOf(blob).replace('MD5', '').replaceAll(':', '').slice(0, 12), 16),
  );
});
