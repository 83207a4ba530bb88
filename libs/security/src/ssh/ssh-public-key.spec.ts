import { createPublicKey, type JsonWebKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import keys from '../../testing/ssh-public-key.fixture.json' with { type: 'json' };
import { partsOf as partsOfBlob, sshString } from '../../testing/ssh-key-parts.js';
import { parseSshPublicKey, readSshPublicKey } from './ssh-public-key.js';

type Name = keyof typeof keys;
const ed25519 = keys['ed25519-a'].text;
const [, blob = ''] = ed25519.split(' ');

/** Go's unicode.IsSpace without line breaks. */
const BLANKS = `\t\v\f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000`;

const key = (type: string, ...parts: (Buffer | string)[]) =>
  `${type} ${Buffer.concat([type, ...parts].map(sshString)).toString('base64')}`;
const partsOf = (text: string) => partsOfBlob(Buffer.from(text.split(' ')[1] ?? '', 'base64')).slice(1);

const refused: Record<string, [fault: string, description: string]> = {
  rsa512: ['weak', 'a modulus that OpenSSH refuses'],
  rsa1024: ['weak', 'a modulus below 2048 bits'],
  rsa2040: ['weak', 'a modulus just below 2048 bits'],
  rsa8200: ['kind refused', 'a modulus above 8192 bits'],
  'rsa-e1': ['damaged', 'the exponent 1'],
  'rsa-e-even': ['damaged', 'an even exponent'],
  'rsa-e-long': ['kind refused', 'an exponent above 24 bits'],
  dsa: ['kind refused', 'DSA, which OpenSSH dropped in 10.0'],
  'ed25519-cert': ['kind refused', 'a certificate'],
  'ecdsa-off-curve': ['damaged', 'a point off the curve'],
  'ed25519-trailing': ['damaged', 'a byte behind the key'],
  'ed25519-short': ['damaged', '31 bytes'],
  'unknown-type': ['kind refused', 'a type that does not exist'],
};

describe('a key', () => {
  const accepted = (Object.keys(keys) as Name[]).filter((name) => !(name in refused));

  test.each(accepted)('%s has the fingerprint and the size that ssh-keygen shows', (name) => {
    const { text, fingerprint, sshKeygen } = keys[name];
    const [type = '', base64 = ''] = text.split(' ');
    const bits = parseInt(sshKeygen, 10);
    expect(parseSshPublicKey(text)).toEqual({ type, blob: base64, fingerprint, bits, comment: '' });
  });

  test.each(Object.entries(refused))('%s is refused: %s', (name, [fault]) => {
    expect(parseSshPublicKey(keys[name as Name].text)).toBeUndefined();
    expect(readSshPublicKey(keys[name as Name].text)).toBe(fault);
  });
});

describe('the text around a key', () => {
  test.each([
    ['a comment', `${ed25519} bob@laptop`, 'bob@laptop'],
    [
      'a comment with anything in it',
      `${ed25519}  моя машина 🦊, "at home" <x> # ssh-rsa `,
      'моя машина 🦊, "at home" <x> # ssh-rsa',
    ],
    ['tabs', `ssh-ed25519\t${blob}\tcomment`, 'comment'],
    ['several spaces', `ssh-ed25519   ${blob}   c  d\t`, 'c  d'],
    ['blank lines', ` \n\n\t  ${ed25519} c \n\n `, 'c'],
    ['CRLF', `# my key\r\n\r\n${ed25519} c\r\n`, 'c'],
    ['CRLF without a comment', `${ed25519}\r\n`, ''],
    ['a last carriage return', `${ed25519}\r`, ''],
    ['comment lines', `# one\n#two\n\n  ${ed25519}\n\n\t# three`, ''],
    ['a no-break space from a web page', `\u00a0${ed25519}\u00a0`, ''],
    ['a no-break space behind a comment', `${ed25519} c\u00a0`, 'c'],
    ['every blank of Unicode', `${BLANKS}${ed25519} c${BLANKS}`, 'c'],
    ['lines of such blanks', `${BLANKS}\n${ed25519}\n${BLANKS}\n\u00a0# end`, ''],
    ['a form feed and a vertical tab', `\v${ed25519}\f`, ''],
    ['several carriage returns', `\r\r\n${ed25519} c\r\r\n`, 'c'],
    ['a carriage return and something behind it', `${ed25519} c\rrest`, 'c'],
    ['a comment line with a key behind its carriage return', `# one\r${keys['ed25519-b'].text}\n${ed25519} c`, 'c'],
    ['blanks of Unicode beside a space', `ssh-ed25519 \u00a0${blob} \u3000c`, 'c'],
    ['a byte order mark at the end of a comment, which is no blank', `${ed25519} c\ufeff`, 'c\ufeff'],
  ])('can be %s', (_title, text, comment) => {
    expect(parseSshPublicKey(text)).toEqual({ ...parseSshPublicKey(ed25519), comment });
    expect(parseSshPublicKey(text)?.fingerprint).toBe(keys['ed25519-a'].fingerprint);
  });

  test.each([
    ['nothing', 'damaged', ''],
    ['blanks alone', 'damaged', ' \n\t\r\n'],
    ['comment lines alone', 'damaged', '# one\n# two\n'],
    ['another key', 'several keys', `${ed25519} one\n${keys['ed25519-b'].text} two\n`],
    ['the same key again', 'several keys', `${ed25519}\n${ed25519}`],
    ['another key behind a carriage return', 'several keys', `${ed25519}\r${keys['ed25519-b'].text}`],
    ['another key behind several', 'several keys', `${ed25519} c\rrest\r\u00a0${keys['ed25519-b'].text} c\r\n`],
    ['another key behind one of a blank line', 'several keys', `# one\n \r${keys['ed25519-b'].text}\n${ed25519}`],
    ['comment and key between carriage returns alone', 'damaged', `# one\r${ed25519}\r`],
    ['an option in front of a carriage return', 'damaged', `no-pty\r${ed25519}`],
    ['a line that is no key', 'damaged', `broken line\n${ed25519}`],
    ['a line break in the key', 'several keys', `ssh-ed25519\n${blob}`],
    ['one option', 'options before the key', `from="1.2.3.4" ${ed25519}`],
    ['a tab behind options', 'options before the key', `no-pty\t${keys.rsa1024.text}`],
    [
      'several options',
      'options before the key',
      `no-pty,command="echo \\"hi\\" there",no-port-forwarding ${ed25519} c`,
    ],
    ['a number of bits, as in SSH 1', 'options before the key', `256 ${ed25519}`],
    ['a quote without an end', 'damaged', `"${ed25519}`],
    [
      'the header of a private key',
      'kind refused',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n',
    ],
    ['a PEM frame', 'kind refused', `-----BEGIN PUBLIC KEY-----\n${blob}\n-----END PUBLIC KEY-----\n`],
    ['a key of PuTTY', 'kind refused', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n'],
    [
      'an RFC 4716 frame',
      'kind refused',
      `---- BEGIN SSH2 PUBLIC KEY ----\nComment: "x"\n${blob}\n---- END SSH2 PUBLIC KEY ----\n`,
    ],
    ['a byte order mark', 'damaged', `\ufeff${ed25519}`],
    ['a byte order mark behind it', 'damaged', `${ed25519}\ufeff`],
    ['a no-break space', 'kind refused', `ssh-ed25519\u00a0${blob}`],
    ['a carriage return in the key', 'damaged', `${ed25519.slice(0, 40)}\r${ed25519.slice(40)}`],
    ['more than 16 KiB', 'too long', `${ed25519} ${'c'.repeat(16 * 1024)}`],
    ['more than 16 KiB outside ASCII', 'too long', `${ed25519} ${'ж'.repeat(8 * 1024)}`],
  ])('cannot be %s: %s', (_title, fault, text) => {
    expect(parseSshPublicKey(text)).toBeUndefined();
    expect(readSshPublicKey(text)).toBe(fault);
  });

  test('is parsed in linear time, however many spaces it has', () => {
    const texts = [' ', '\t \t', '\r', '\n'].map((blank) => `a${blank.repeat(16_000 / blank.length)}b`);
    expect(texts.map((text) => parseSshPublicKey(text))).toEqual([undefined, undefined, undefined, undefined]);
    for (const quotes of ['"\\', '"a"']) expect(readSshPublicKey(quotes.repeat(5_000))).toBe('damaged');
  });
});

describe('the type', () => {
  test.each(['ssh-rsa', 'SSH-ED25519', 'ssh-foo', 'sk-ssh-ed25519@openssh.com', 'ecdsa-sha2-nistp256'])(
    '%s does not match an ed25519 key',
    (type) => {
      expect(parseSshPublicKey(`${type} ${blob}`)).toBeUndefined();
    },
  );

  test('rsa-sha2-256 is a signature algorithm, not a key type', () => {
    expect(parseSshPublicKey(keys.rsa2048.text.replace('ssh-rsa', 'rsa-sha2-256'))).toBeUndefined();
    expect(parseSshPublicKey(key('rsa-sha2-256', ...partsOf(keys.rsa2048.text)))).toBeUndefined();
  });

  test('cannot be missing', () => {
    expect(parseSshPublicKey(blob)).toBeUndefined();
    expect(parseSshPublicKey(`ssh-ed25519 ${'AAAA'.repeat(2)}`)).toBeUndefined();
  });
});

describe('the parts of a key', () => {
  const [e = Buffer.of(), n = Buffer.of()] = partsOf(keys.rsa2048.text);
  const [curve = Buffer.of(), point = Buffer.of()] = partsOf(keys.ecdsa256.text);
  const [, skPoint = Buffer.of(), application = Buffer.of()] = partsOf(keys['sk-ecdsa'].text);
  const even = Buffer.concat([n.subarray(0, -1), Buffer.of(2)]);

  test('form the key when joined again', () => {
    expect(key('ssh-rsa', e, n)).toBe(keys.rsa2048.text);
    expect(key('sk-ecdsa-sha2-nistp256@openssh.com', curve, skPoint, application)).toBe(keys['sk-ecdsa'].text);
  });

  test.each([
    ['an RSA number with a needless zero', key('ssh-rsa', e, Buffer.concat([Buffer.of(0), n]))],
    ['an RSA exponent with a needless zero', key('ssh-rsa', Buffer.concat([Buffer.of(0), e]), n)],
    ['a negative RSA number', key('ssh-rsa', e, n.subarray(1))],
    ['an even RSA number', key('ssh-rsa', e, even)],
    ['no RSA exponent', key('ssh-rsa', '', n)],
    ['an RSA exponent of zero', key('ssh-rsa', Buffer.of(0), n)],
    ['an RSA key with a third number', key('ssh-rsa', e, n, e)],
    ['an RSA key with one number', key('ssh-rsa', n)],
    ['a compressed point', key('ecdsa-sha2-nistp256', curve, Buffer.concat([Buffer.of(2), point.subarray(1, 33)]))],
    ['a hybrid point', key('ecdsa-sha2-nistp256', curve, Buffer.concat([Buffer.of(6), point.subarray(1)]))],
    ['the point at infinity', key('ecdsa-sha2-nistp256', curve, Buffer.of(0))],
    ['a long point', key('ecdsa-sha2-nistp256', curve, Buffer.concat([point, Buffer.of(0)]))],
    ['another curve', key('ecdsa-sha2-nistp256', 'nistp384', point)],
    ['no curve', key('ecdsa-sha2-nistp256', point)],
    ['33 bytes of ed25519', key('ssh-ed25519', Buffer.alloc(33, 7))],
    ['a FIDO key without an application', key('sk-ecdsa-sha2-nistp256@openssh.com', curve, skPoint)],
    ['a FIDO key with a NUL in its application', key('sk-ecdsa-sha2-nistp256@openssh.com', curve, skPoint, 'ssh:\0')],
    ['a FIDO key with more than that', key('sk-ecdsa-sha2-nistp256@openssh.com', curve, skPoint, application, '')],
    ['no padding', keys.ecdsa256.text.replace(/=+$/, '')],
    ['the URL alphabet', ed25519.replaceAll('/', '_').replaceAll('+', '-')],
    [
      'a length beyond the end',
      `ssh-ed25519 ${Buffer.from('0000000b7373682d6564323535313900000021', 'hex').toString('base64')}`,
    ],
  ])('cannot be %s', (_title, text) => {
    expect(text).toMatch(/^[^ ]+ [^ ]+$/);
    expect(parseSshPublicKey(text)).toBeUndefined();
  });
});

describe('the base64', () => {
  test.each([
    ['sk-ed25519', /o=$/, 'p='],
    ['sk-ed25519', /o=$/, 'r='],
    ['ecdsa384', /g==$/, 'v=='],
  ] as const)('of %s with other spare bits is the same key', (name, end, other) => {
    const { text, fingerprint } = keys[name];
    const parsed = parseSshPublicKey(text.replace(end, other));
    expect(parsed).toEqual(parseSshPublicKey(text));
    expect(parsed).toMatchObject({ blob: text.split(' ')[1], fingerprint });
  });
});

describe('any text', () => {
  const texts = Object.values(keys).map(({ text }) => text);
  const edited = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat(3),
      fc.oneof(fc.string({ maxLength: 3 }), fc.base64String({ maxLength: 8 })),
    )
    .map(([text, at, cut, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut));
  const flipped = fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([text, at, byte]) => {
      const [type, base64 = ''] = text.split(' ');
      const bytes = Buffer.from(base64, 'base64');
      bytes[at % bytes.length] = byte;
      return `${type} ${bytes.toString('base64')}`;
    });
  const recombined = fc
    .tuple(fc.constantFrom(...texts), fc.constantFrom(...texts), fc.subarray([0, 1, 2, 3]))
    .map(([one, two, which]) =>
      key(one.split(' ')[0] ?? '', ...which.map((i) => [...partsOf(two), ''][i] ?? Buffer.of(i))),
    );

  test('never throws, and an accepted key parses to the same key again', () => {
    const seen = { accepted: 0, refused: 0 };
    const check = (text: string) => {
      const parsed = parseSshPublicKey(text);
      seen[parsed ? 'accepted' : 'refused']++;
      if (parsed) expect(writtenAnew(parsed.type, parsed.blob)).toBe(parsed.blob);
    };
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), edited, flipped, recombined), check), {
      numRuns: 3000,
    });
    expect(seen.accepted).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(100);
  });
});

/** Converts the key to OpenSSL's form and back, which yields its canonical form by RFC 4253, 5656 and 8709. */
function writtenAnew(type: string, base64: string): string | undefined {
  const parts = partsOf(`${type} ${base64}`);
  const application = type.startsWith('sk-') ? parts.slice(-1) : [];
  return key(
    type,
    ...partsFromJwk(createPublicKey({ format: 'jwk', key: jwkOf(type, parts) }).export({ format: 'jwk' })),
    ...application,
  ).split(' ')[1];
}

function jwkOf(type: string, [one = Buffer.of(), two = Buffer.of()]: Buffer[]): JsonWebKey {
  const url = (bytes: Buffer) => bytes.toString('base64url');
  if (type === 'ssh-rsa') return { kty: 'RSA', e: url(one), n: url(two) };
  if (type.includes('ed25519')) return { kty: 'OKP', crv: 'Ed25519', x: url(one) };
  const half = (two.length - 1) / 2;
  const crv = one.toString().replace('nistp', 'P-');
  return { kty: 'EC', crv, x: url(two.subarray(1, 1 + half)), y: url(two.subarray(1 + half)) };
}

function partsFromJwk({ kty, crv = '', x = '', y = '', e = '', n = '' }: JsonWebKey): (Buffer | string)[] {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const mpint = (text: string) => Buffer.concat([Buffer.alloc((bytes(text)[0] ?? 0) >> 7), bytes(text)]);
  if (kty === 'RSA') return [mpint(e), mpint(n)];
  if (kty === 'OKP') return [bytes(x)];
  return [crv.replace('P-', 'nistp'), Buffer.concat([Buffer.of(4), bytes(x), bytes(y)])];
}
