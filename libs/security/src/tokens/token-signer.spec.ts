import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { EarlierTokenSecrets, parseTokenSecrets, TokenSigner } from './token-signer.js';

const secret = randomBytes(32);
const options = { issuer: 'keyfold', lifetimeHours: 48 };
const newSigner = (jwt = new JwtService({ secret: createSecretKey(secret) })) => new TokenSigner(jwt, options);
const signer = newSigner();

const subject = {
  accountId: 7,
  sessionId: 'k3x9',
  username: 'bob "б"',
  passwordTimestamp: 1_700_000_000,
  now: 1_800_000_000_999,
};
const token = signer.sign(subject);
const [header = '', payload = '', signature = ''] = token.split('.');
const claims = {
  username: 'bob "б"',
  pwd_ts: 1_700_000_000,
  exp: 1_800_172_800,
  nbf: 1_800_000_000,
  iat: 1_800_000_000,
  sub: '7',
  jti: 'k3x9',
  iss: 'keyfold',
};

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (head: string, body: string, algorithm = 'sha256', key = secret) =>
  `${head}.${body}.${createHmac(algorithm, key).update(`${head}.${body}`).digest('base64url')}`;

describe('a new token', () => {
  test('has the header of the original', () => {
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"HS256","typ":"JWT"}');
  });

  test('has the claims of the original first and in its order', () => {
    expect(Buffer.from(payload, 'base64url').toString()).toBe(JSON.stringify(claims));
  });

  test('is signed with HMAC-SHA-256', () => {
    expect(token).toBe(signed(header, payload));
  });

  test('may be valid for a fraction of an hour', () => {
    const short = new TokenSigner(new JwtService({ secret }), { ...options, lifetimeHours: 0.001 });
    expect(short.read(short.sign(subject))).toMatchObject({ iat: 1_800_000_000, exp: 1_800_000_004 });
  });
});

describe('reading', () => {
  test('accepts tokens signed with an earlier secret, and signs with the first one', () => {
    const first = randomBytes(32);
    const earlier = new EarlierTokenSecrets([randomBytes(32), secret].map((each) => new JwtService({ secret: each })));
    const rotated = new TokenSigner(new JwtService({ secret: first }), options, earlier);
    expect(rotated.read(token)).toEqual(claims);
    expect(signer.read(rotated.sign(subject))).toBeUndefined();
    expect(newSigner(new JwtService({ secret: first })).read(rotated.sign(subject))).toEqual(claims);
    expect(newSigner(new JwtService({ secret: first })).read(token)).toBeUndefined();
  });

  test('does not check the expiry', () => {
    expect(signer.read(signer.sign({ ...subject, now: 0 }))).toMatchObject({ exp: 172_800 });
    expect(signer.read(signer.sign({ ...subject, now: 4_000_000_000_000 }))).toMatchObject({ nbf: 4_000_000_000 });
  });

  test('returns frozen claims', () => {
    expect(Object.isFrozen(signer.read(token))).toBe(true);
  });

  /** Returns a signer with an empty cache, and a spy that counts the signatures that it verifies. */
  function spied() {
    const jwt = new JwtService({ secret: createSecretKey(secret) });
    return { fresh: newSigner(jwt), verify: vi.spyOn(jwt, 'verify') };
  }

  test('verifies a signature only once', () => {
    const { fresh, verify } = spied();
    for (let n = 0; n < 2; n++) expect(fresh.read(token)).toEqual(claims);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  test('returns the claims of a long token without caching it', () => {
    const { fresh, verify } = spied();
    const long = fresh.sign({ ...subject, username: 'x'.repeat(100_000) });
    for (let n = 0; n < 2; n++) expect(fresh.read(long)?.username).toHaveLength(100_000);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test('does not let forged tokens evict a cached one', () => {
    const { fresh, verify } = spied();
    fresh.read(token);
    for (let n = 0; n < 10_001; n++) fresh.read(`${header}.${encode({ n })}.${signature}`);
    verify.mockClear();
    expect(fresh.read(token)).toEqual(claims);
    expect(verify).not.toHaveBeenCalled();
  });

  test('evicts the least recently read token', () => {
    const { fresh, verify } = spied();
    fresh.read(token);
    for (let n = 0; n < 10_000; n++) fresh.read(fresh.sign({ ...subject, accountId: 100 + n }));
    verify.mockClear();
    expect(fresh.read(token)).toEqual(claims);
    expect(verify).toHaveBeenCalledTimes(1);
  });
});

describe('a token is refused', () => {
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];

  test('with any other last character, even if it decodes to the same bytes', () => {
    const same = Buffer.from(signature, 'base64url');
    const variants = others.filter((letter) => letter !== token.at(-1)).map((letter) => token.slice(0, -1) + letter);
    const spellings = variants.filter((each) => same.equals(Buffer.from(each.split('.')[2] ?? '', 'base64url')));
    expect(spellings).toHaveLength(3);
    expect(variants.filter((variant) => newSigner().read(variant))).toEqual([]);
  });

  test('with any single character changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...others, '.', '=', ' '), (at, letter) => {
        fc.pre(token[at] !== letter);
        expect(signer.read(token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test.each(['x', '=', '.', '.x', ' ', '\n', '\0', '%20'])('with %j around it', (extra) => {
    expect(signer.read(token)).toEqual(claims);
    expect(signer.read(token + extra)).toBeUndefined();
    expect(signer.read(extra + token)).toBeUndefined();
  });

  test.each([
    ['no_token', 'Bearer', `Bearer ${token}`],
    ['no_token', 'two tokens', `${token},${token}`],
    ['no_token', 'four parts', `${token}.x`],
    ['no_token', 'no dots', 'openlist-token'],
    ['no_token', 'dots alone', '..'],
    ['no_token', 'two parts', `${header}.${payload}`],
    ['no_token', 'a header of a megabyte', `${encode({ alg: 'x'.repeat(1_048_576) })}.${payload}.`],
    ['no_token', 'a header without an algorithm', `${encode({})}.${payload}.${signature}`],
    ['no_token', 'a header that is no JSON', signed('AAAA', payload)],
    ['no_token', 'a header that is null', signed(encode(null), payload)],
    ['bad_signature', 'no signature', `${header}.${payload}.`],
    ['bad_signature', 'padding', `${header}.${payload}=.${signature}`],
    ['bad_signature', 'another secret', signed(header, payload, 'sha256', randomBytes(32))],
    ['bad_signature', 'an empty secret', signed(header, payload, 'sha256', Buffer.alloc(0))],
    ['wrong_algorithm', 'the algorithm none', `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`],
    ['wrong_algorithm', 'the algorithm none and a signature', signed(encode({ alg: 'none', typ: 'JWT' }), payload)],
    ['wrong_algorithm', 'HS512', signed(encode({ alg: 'HS512', typ: 'JWT' }), payload, 'sha512')],
    ['wrong_algorithm', 'a name of HS512 over HS256', signed(encode({ alg: 'HS512', typ: 'JWT' }), payload)],
    ['of_device', 'the audience of devices', signed(header, encode({ sub: '7', aud: 'keyfold-device' }))],
    ['bad_claims', 'another issuer', signed(header, encode({ ...claims, iss: 'keyfolD' }))],
    ['bad_signature', 'a payload that is no JSON', signed(header, 'AAAA')],
    ['bad_claims', 'a payload that is a text', signed(header, encode('text'))],
    ['bad_signature', 'a payload that is null', signed(header, encode(null))],
    ['bad_claims', 'a payload that is a list', signed(header, encode([claims]))],
    [
      'bad_claims',
      "the original's claims alone",
      signed(header, encode({ ...claims, sub: undefined, jti: undefined, iss: undefined })),
    ],
  ])('as %s with %s', (flaw, _title, text) => {
    expect(signer.read(text)).toBeUndefined();
    expect(signer.flawOf(text)).toBe(flaw);
  });

  test('with a missing or mistyped claim, even if the signature is valid', () => {
    const wrong = [undefined, null, true, {}, [], 1.5, 2 ** 53];
    const variants = Object.keys(claims).flatMap((name) => {
      const swapped = typeof Reflect.get(claims, name) === 'string' ? 1 : '1';
      return [...wrong, swapped].map((value) => signed(header, encode({ ...claims, [name]: value })));
    });
    expect(variants).toHaveLength(64);
    expect(variants.filter((variant) => signer.read(variant))).toEqual([]);
    expect(signer.read(signed(header, encode({ ...claims, more: 1 })))).toEqual(claims);
  });

  test('without an exception for any text', () => {
    const part = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map(encode),
      fc.constantFrom(header, payload, signature),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        fc.pre(parts.join('.') !== token);
        expect(signer.read(parts.join('.'))).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });
});

const [one, two] = [randomBytes(48).toString('base64'), randomBytes(32).toString('hex')];

describe('token secrets', () => {
  test('are a list whose order counts, and spaces around the commas do not', () => {
    expect(parseTokenSecrets(one)).toEqual([one]);
    expect(parseTokenSecrets(`${one},${two}`)).toEqual([one, two]);
    expect(parseTokenSecrets(`${two} ,\n${one}`)).toEqual([two, one]);
  });

  test('keep spaces at their ends, which are part of the secret', () => {
    expect(parseTokenSecrets(` ${one} `)).toEqual([` ${one} `]);
  });

  test.each([
    ['short', /^needs at least 32 characters \(256 bits\): generate one with "openssl rand -base64 48"$/],
    [`${one},`, /^secret 2 of the list \(commas separate secrets\) needs at least 32 characters/],
    ['x'.repeat(40), /^repeats itself and can be guessed: generate one with "openssl rand -base64 48"$/],
    [`${one},${'ab'.repeat(20)}`, /^secret 2 of the list \(commas separate secrets\) repeats itself/],
  ])('are refused when one is short or weak: %#', (text, message) => {
    expect(() => parseTokenSecrets(text)).toThrow(message);
  });

  test.each(['changeme-changeme', 'changeme'.repeat(5)])('never show up in a message: %#', (weak) => {
    expect(() => parseTokenSecrets(`${one},${weak}`)).toThrow(/^(?!.*changeme)/);
    expect(() => parseTokenSecrets(`${one},${weak}`)).not.toThrow(one);
  });
});
