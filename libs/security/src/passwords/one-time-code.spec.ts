import fc from 'fast-check';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { isTotpSecret, matchingStep, newTotpSecret, otpauthUri, qrPicture } from './one-time-code.js';

/** The secret of RFC 4226 appendix D and RFC 6238 appendix B, the ASCII text 12345678901234567890. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const STEP = 30_000;

describe('codes', () => {
  test.each(
    ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map(
      (code, step) => [step, code] as const,
    ),
  )('step %i has the code %s (RFC 4226)', (step, code) => {
    expect(matchingStep(SECRET, code, step * STEP)).toBe(step);
  });

  test.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('the code at second %i ends %s (RFC 6238)', (second, eightDigits) => {
    expect(matchingStep(SECRET, eightDigits.slice(2), second * 1000)).toBe(Math.floor(second / 30));
  });

  test('of the step before and the step after match, with the step they belong to', () => {
    const steps = ['254676', '287922', '162583'].map((code) => matchingStep(SECRET, code, 6 * STEP));
    expect(steps).toEqual([5, 6, 7]);
  });

  test('of two steps before and two steps after do not match', () => {
    expect(['338314', '399871'].map((code) => matchingStep(SECRET, code, 6 * STEP))).toEqual([undefined, undefined]);
  });

  test('change with the first millisecond of a step', () => {
    expect(matchingStep(SECRET, '338314', 6 * STEP - 1)).toBe(4);
    expect(matchingStep(SECRET, '338314', 6 * STEP)).toBeUndefined();
  });

  test.each([' 755224', '755224 ', '\t755224\r\n'])('%j matches without its white space', (code) => {
    expect(matchingStep(SECRET, code, 0)).toBe(0);
  });

  test.each(['', '75522', '7552240', '075522', '755 224', '+75522', '75522x', '７５５２２４', '٧٥٥٢٢٤', '755224.0'])(
    '%j is not a code',
    (code) => {
      expect(matchingStep(SECRET, code, 0)).toBeUndefined();
    },
  );

  test('are the same for a secret in lower case', () => {
    expect(matchingStep(SECRET.toLowerCase(), '755224', 0)).toBe(0);
  });

  test.each(['', '1', 'GEZDGNBV', '!'.repeat(32), 'é'.repeat(32)])('of %j do not exist', (secret) => {
    expect(matchingStep(secret, '755224', 0)).toBeUndefined();
    expect(isTotpSecret(secret)).toBe(false);
  });

  test('can be made from every secret that is issued', () => {
    expect([SECRET, newTotpSecret()].map(isTotpSecret)).toEqual([true, true]);
  });
});

describe('a new secret', () => {
  test('has 160 bits in 32 base32 characters and differs each time', () => {
    const secrets = Array.from({ length: 100 }, newTotpSecret);
    expect(secrets.filter((secret) => !/^[A-Z2-7]{32}$/.test(secret))).toEqual([]);
    expect(new Set(secrets).size).toBe(100);
  });
});

describe('the enrolment URI', () => {
  test('is that of wire contract 2.3', () => {
    expect(otpauthUri({ username: 'bob', secret: SECRET })).toBe(
      `otpauth://totp/OpenList:bob?algorithm=SHA1&digits=6&issuer=OpenList&period=30&secret=${SECRET}`,
    );
  });

  test('preserves every name for a URL parser', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (username) => {
        const url = new URL(otpauthUri({ username, secret: SECRET }));
        expect([url.protocol, url.host, url.hash]).toEqual(['otpauth:', 'totp', '']);
        expect(decodeURIComponent(url.pathname)).toBe(`/OpenList:${username.toWellFormed()}`);
        expect(Object.fromEntries(url.searchParams)).toEqual({
          algorithm: 'SHA1',
          digits: '6',
          issuer: 'OpenList',
          period: '30',
          secret: SECRET,
        });
      }),
    );
  });

  test('replaces half a surrogate pair with U+FFFD', () => {
    expect(otpauthUri({ username: '\ud83e', secret: SECRET })).toContain('/OpenList:%EF%BF%BD?');
  });
});

describe('the QR code', () => {
  test('of an enrolment URI can be read', async () => {
    const uri = otpauthUri({ username: 'б:&=?#%🦊 "bob"', secret: newTotpSecret() });
    expect(await qrPicture(uri)).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/);
    expect(read(await qrPicture(uri))).toEqual({ size: '400x400', text: uri });
  });

  // Capacities of QR versions at level M, in bytes (ISO/IEC 18004, table 7).
  test.each([
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779, 857, 911,
    997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331,
  ])('of %i bytes has the same size and can be read', async (bytes) => {
    const text = 'a'.repeat(bytes);
    expect(read(await qrPicture(text))).toEqual({ size: '400x400', text });
  });

  test('of a text that is too long is rejected', async () => {
    expect(await qrPicture('x'.repeat(2331))).toContain('data:');
    await expect(qrPicture('x'.repeat(2332))).rejects.toThrow();
  });
});

function read(picture: string) {
  const png = PNG.sync.read(Buffer.from(picture.replace(/^[^,]*,/, ''), 'base64'));
  const found = jsqr.default(new Uint8ClampedArray(png.data), png.width, png.height);
  return { size: `${png.width}x${png.height}`, text: found?.data };
}
