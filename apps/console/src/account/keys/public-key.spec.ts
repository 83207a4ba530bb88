import { describe, expect, it, vi } from 'vitest';
import { fingerprintOf, isPrivateKey, parsePublicKey } from './public-key.js';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEpChS5H8qlySk7I8/6yE12JQ2QNeCR6BLTeGrit13pb';
const ECDSA =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJq6wXcaKH17mr8SU7stkLsxnNxsu1YkGjP3pIf56HBQnG7U0MnLjA1UOjIYp1wGYMBVTyEqXavMBRD7p8Hy0Dk=';

describe('a public key', () => {
  it('has the fingerprint that ssh-keygen prints', async () => {
    expect(await fingerprintOf(parsePublicKey(ED25519)!)).toBe('SHA256:CJmxw0NlXi/zHqStZztZaFSDhVr/9Wuf4e9qQOV6ctM');
    expect(await fingerprintOf(parsePublicKey(ECDSA)!)).toBe('SHA256:IdhSItLdz/0uXR11ypsgEVtBvl+wBSfo7Lg3e0JAeT0');
  });

  it('has no fingerprint where the browser offers no cryptography', async () => {
    vi.stubGlobal('crypto', {});
    expect(await fingerprintOf(parsePublicKey(ED25519)!)).toBeUndefined();
    vi.unstubAllGlobals();
  });

  it.each([
    [ED25519, ''],
    [`${ED25519} ann@laptop\n`, 'ann@laptop'],
    [`# mine\r\n\r\n  ${ECDSA}\t my  old key \r\n`, 'my old key'],
  ])('is read with its comment', (text, comment) => {
    expect(parsePublicKey(text)?.comment).toBe(comment);
  });

  it.each([
    '',
    'ssh-ed25519',
    'ssh-ed25519 AAAA',
    'ssh-ed25519 ????',
    'ssh-ed25519 /////w==',
    ED25519.replace('ssh-ed25519', 'ssh-rsa'),
    `${ED25519}\n${ECDSA}`,
    `restrict ${ED25519}`,
  ])('is not "%s"', (text) => {
    expect(parsePublicKey(text)).toBeUndefined();
  });
});

it.each([
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN ENCRYPTED PRIVATE KEY-----',
  '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
  `${ED25519}\n-----BEGIN EC PRIVATE KEY-----`,
  'PuTTY-User-Key-File-3: ssh-ed25519',
])('a private key is recognised: %s', (text) => {
  expect(isPrivateKey(text)).toBe(true);
});

it.each([`${ED25519} my PRIVATE KEY`, '---- BEGIN SSH2 PUBLIC KEY ----', ''])('"%s" is no private key', (text) => {
  expect(isPrivateKey(text)).toBe(false);
});
