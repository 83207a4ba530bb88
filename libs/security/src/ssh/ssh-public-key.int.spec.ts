import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fixture from '../../testing/ssh-public-key.fixture.json' with { type: 'json' };
import { listedKeys, sshKeygen } from '../../../../test/support/ssh-keygen.js';
import { partsOf, sshString } from '../../testing/ssh-key-parts.js';
import { parseSshPublicKey } from './ssh-public-key.js';

const samples = Object.values(fixture).map(({ text }) => text);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyfold-ssh-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string) => join(folder, name);

/** Returns a key from ssh-keygen, or undefined if it no longer supports the type. */
function generated(type: string, bits: number): string | undefined {
  const path = file(`${type}-${bits}`);
  try {
    sshKeygen('-q', '-t', type, '-b', `${bits}`, '-N', '', '-C', 'bob at home', '-f', path);
  } catch {
    return undefined;
  }
  return readFileSync(`${path}.pub`, 'utf8');
}

/** Returns the lines that `ssh-keygen -lf` prints for a file with this content. */
function listed(text: string): string[] {
  writeFileSync(file('listed'), text);
  return listedKeys(file('listed'))
    .split('\n')
    .filter((line) => line !== '');
}

/** Does the same for many lines at once, numbered in their comments. The first line keeps ssh-keygen from reading a private key. */
function listedEach(lines: readonly string[]): (string | undefined)[] {
  const answers = listed(['# many keys', ...lines.map((line, n) => `${line} case-${n}`)].join('\n'));
  const byCase = new Map(answers.map((answer) => [/case-(\d+) \([^)]*\)$/.exec(answer)?.[1], answer]));
  return lines.map((_, n) => byCase.get(String(n)));
}

const start = (text: string) => {
  const key = parseSshPublicKey(text);
  return key && `${key.bits} ${key.fingerprint} `;
};

describe('a key from ssh-keygen', () => {
  test.each([
    ['ed25519', 256],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
    ['rsa', 2048],
    ['rsa', 3072],
    ['rsa', 4096],
  ])('%s %i is accepted with its fingerprint, size and comment', (type, bits) => {
    const text = generated(type, bits) ?? '';
    expect(`${start(text)}bob at home (${type.toUpperCase()})`).toBe(listed(text).join());
    expect(parseSshPublicKey(text)?.comment).toBe('bob at home');
  });

  test.each([
    ['dsa', 1024],
    ['rsa', 1024],
    ['rsa', 2047],
  ])('%s %i is refused', (type, bits) => {
    expect(parseSshPublicKey(generated(type, bits) ?? fixture.dsa.text)).toBeUndefined();
  });

  test('with a certificate is refused', () => {
    generated('ed25519', 256);
    sshKeygen('-q', '-s', file('ed25519-256'), '-I', 'bob', '-n', 'bob', file('ed25519-256.pub'));
    const certificate = readFileSync(file('ed25519-256-cert.pub'), 'utf8');
    expect(listed(certificate).join()).toContain('(ED25519-CERT)');
    expect(parseSshPublicKey(certificate)).toBeUndefined();
  });
});

describe('ssh-keygen and the parser', () => {
  test('agree on the texts around a key', () => {
    const [key = '', other = ''] = samples;
    const accepted = [
      `# a\n\n${key} c\n`,
      `${key} c\r\n`,
      `\t${key}\t c\n# end`,
      `  ${key}`,
      `${key}\r`,
      `${key} "'\\ 🦊 #`,
    ];
    const refused = [`\ufeff${key}`, `"${key}`, key.replace(' ', '\n'), '', '#', `#${key}`];
    expect(accepted.map(start).filter((answer) => answer === undefined)).toEqual([]);
    expect(accepted.map((text) => listed(text).map((line) => line.startsWith(start(text) ?? '-')))).toEqual(
      accepted.map(() => [true]),
    );
    expect([...refused.flatMap(listed), ...refused.map(start)]).toEqual(refused.map(() => undefined));
    expect([listed(`${key}\n${other}`).length, start(`${key}\n${other}`)]).toEqual([2, undefined]);
  });

  test('differ on surrounding white space, which the original accepts; both accept the stored form', () => {
    const [key = ''] = samples;
    for (const text of [`\v${key}`, `\u00a0${key}`, `\u3000${key}\u00a0`]) {
      const { type, blob } = parseSshPublicKey(text)!;
      expect(listed(text)).toEqual([]);
      expect(listed(`${type} ${blob}`).map((line) => line.startsWith(start(text) ?? '-'))).toEqual([true]);
    }
  });

  test('refuse the same implausible points', () => {
    const points = craftedPoints();
    expect(points.map(({ text }) => start(text) !== undefined)).toEqual(points.map(({ honest }) => honest));
    expect(listedEach(points.map(({ text }) => text)).map((answer) => answer !== undefined)).toEqual(
      points.map(({ honest }) => honest),
    );
  });

  test('agree on every mangled key, except for intended differences', () => {
    const lines = fc.sample(mangled(), 8000);
    const compared = listedEach(lines).map((answer, n) => comparison(`${lines[n]} case-${n}`, answer));
    const surprises = compared.filter((outcome) => !MEANT.includes(outcome));
    expect(surprises).toEqual([]);
    expect(new Set(compared)).toEqual(new Set(MEANT));
  });
});

const MEANT = [
  'accepted by both',
  'refused by both',
  'refused here alone: options',
  'refused here alone: DSA',
  'refused here alone: a certificate',
  'refused here alone: an RSA key that is short, huge or unsound',
  'refused here alone: a NUL in the application',
  'accepted here alone: other spare bits',
];

function comparison(line: string, answer: string | undefined): string {
  const ours = start(line);
  if (ours && !answer && hasOtherSpareBits(line)) return 'accepted here alone: other spare bits';
  if (ours) return answer?.startsWith(ours) ? 'accepted by both' : `accepted as ${ours}, but ${answer}: ${line}`;
  return answer ? `refused here alone: ${reason(line)}` : 'refused by both';
}

function mangled(): fc.Arbitrary<string> {
  const visible = fc.string({ unit: fc.constantFrom(...'Aa0+/=-_ \t,"#@.sé'), maxLength: 3 });
  const sample = fc.constantFrom(...samples);
  const edited = fc
    .tuple(sample, fc.nat(), fc.nat(2), visible)
    .map(([text, at, cut, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut));
  const words = samples.map((text) => text.split(' ')[0] ?? '');
  const renamed = fc
    .tuple(sample, fc.constantFrom(...words, 'rsa-sha2-512', 'SSH-RSA', ''))
    .map(([text, type]) => `${type} ${text.split(' ')[1]}`);
  const prefixed = fc
    .tuple(sample, fc.constantFrom('from="1.2.3.4" ', 'no-pty ', 'restrict,pty\t', 'nonsense ', '256 ', '"a b" ', '# '))
    .map(([text, before]) => before + text);
  const respelled = fc
    .tuple(sample, fc.constantFrom(/=+$/, /[+/]/, /.(?==*$)/), fc.constantFrom('', '-', 'B'))
    .map(([text, what, by]) => text.replace(what, by));
  const flipped = fc.tuple(sample, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
    const bytes = blobOf(text);
    bytes[at % bytes.length] = byte;
    return `${text.split(' ')[0]} ${bytes.toString('base64')}`;
  });
  const bytes = fc.uint8Array({ maxLength: 40 }).map((each) => Buffer.from(each));
  const replaced = fc
    .tuple(sample, fc.nat(4), fc.nat(2), fc.array(bytes, { maxLength: 2 }))
    .map(([text, at, cut, put]) => {
      const parts = partsOf(blobOf(text));
      parts.splice(1 + (at % parts.length), cut, ...put);
      return `${text.split(' ')[0]} ${Buffer.concat(parts.map(sshString)).toString('base64')}`;
    });
  return fc.oneof(sample, fc.constant(withNul), edited, renamed, prefixed, respelled, flipped, replaced);
}

/** OpenSSH allows a NUL at the end of the application and ignores it. */
const withNul = fixture['sk-ed25519'].text.replace('AAAABHNzaDo=', 'AAAABXNzaDoA');

/** Returns why the parser should refuse a line that ssh-keygen lists, by an independent check. */
function reason(line: string): string {
  const [word = '', base64 = ''] = line.trim().split(/[ \t]+/);
  const parts = partsOf(Buffer.from(base64, 'base64'));
  if (!samples.some((text) => text.startsWith(`${word} `))) return 'options';
  if (word === 'ssh-dss') return 'DSA';
  if (word.includes('-cert-v01@')) return 'a certificate';
  if (word === 'ssh-rsa' && !isSoundRsa(parts)) return 'an RSA key that is short, huge or unsound';
  if (word.startsWith('sk-') && parts.at(-1)?.includes(0)) return 'a NUL in the application';
  return line;
}

/** The original accepts these; the stored form is canonical. */
function hasOtherSpareBits(line: string): boolean {
  const [, base64 = ''] = line.trim().split(/[ \t]+/);
  return blobOf(line.trim()).toString('base64') !== base64;
}

/** 2048 to 8192 bits, odd numbers in their shortest form, an exponent of 3 to 24 bits. */
function isSoundRsa([, e = Buffer.of(), n = Buffer.of()]: Buffer[]): boolean {
  const shortest = [e, n].every((part) => !(part[0] === 0 && (part[1] ?? 0) < 128));
  const odd = [e, n].every((part) => (part.at(-1) ?? 0) % 2 === 1);
  const [exponent = 0n, modulus = 0n] = [e, n].map((part) => BigInt(`0x0${part.toString('hex')}`));
  const sized = modulus >= 2n ** 2047n && modulus < 2n ** 8192n;
  return shortest && odd && sized && exponent >= 3n && exponent < 2n ** 24n;
}

/** Points of P-256 with an x that is tiny, about as large as the order, or not below the field's prime. */
function craftedPoints(): { text: string; honest: boolean }[] {
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
  const firstFrom = (x: bigint): [bigint, bigint] => {
    const square = (((x ** 3n - 3n * x + b) % p) + p) % p;
    const y = power(square, (p + 1n) / 4n, p);
    return (y * y) % p === square ? [x, y] : firstFrom(x + 1n);
  };
  const point = ([x, y]: [bigint, bigint], honest: boolean) => {
    const bytes = Buffer.from('04' + [x, y].map((part) => part.toString(16).padStart(64, '0')).join(''), 'hex');
    const parts = ['ecdsa-sha2-nistp256', 'nistp256', bytes].map(sshString);
    return { text: `ecdsa-sha2-nistp256 ${Buffer.concat(parts).toString('base64')}`, honest };
  };
  const [tiny, y] = firstFrom(1n);
  const below = firstFrom(order - 100n);
  expect(below[0]).toBeLessThan(order - 1n);
  return [
    point([tiny, y], false),
    point([tiny + p, y], false),
    point(firstFrom(2n ** 127n), false),
    point(firstFrom(2n ** 128n), true),
    point(below, true),
    point(firstFrom(order - 1n), false),
    point(firstFrom(order + 1n), false),
  ];
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power((base * base) % modulus, exponent / 2n, modulus);
  return exponent % 2n === 0n ? half : (half * base) % modulus;
}

const blobOf = (text: string) => Buffer.from(text.split(/[ \t]+/)[1] ?? '', 'base64');
