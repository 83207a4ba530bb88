import { expect, test } from 'vitest';
import fixture from '../../testing/ssh-public-key.fixture.json' with { type: 'json' };
import { partsOf, sshString } from '../../testing/ssh-key-parts.js';
import { sshKeyFault } from './ssh-key-fault.js';
import { parseSshPublicKey } from './ssh-public-key.js';

const { text: key } = fixture['ed25519-a'];
const [exponent = Buffer.of()] = partsOf(Buffer.from(fixture.rsa2048.text.split(' ')[1]!, 'base64')).slice(1);
const rsa = (bytes: number, first: number) =>
  `ssh-rsa ${Buffer.concat(['ssh-rsa', exponent, Buffer.concat([Buffer.of(first), Buffer.alloc(bytes - 1, 1)])].map(sshString)).toString('base64')}`;

test.each([
  ['weak', rsa(128, 0x7f)],
  ['weak', rsa(256, 0x7f)],
  ['kind refused', fixture.dsa.text],
  ['kind refused', key.replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com')],
  ['kind refused', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU='],
  ['kind refused', `---- BEGIN SSH2 PUBLIC KEY ----\n${key}`],
  ['options before the key', `from="192.0.2.1" ${key}`],
  ['options before the key', `no-pty,command="echo \\"hi there\\"",restrict ${key} laptop`],
  ['options before the key', `no-pty\t${rsa(128, 0x7f)}`],
  ['several keys', `${key}\n${fixture.rsa2048.text}`],
  ['several keys', `${key}\r${key}`],
  ['damaged', key.slice(0, -4)],
  ['damaged', key.replace('ssh-ed25519', 'ssh-rsa')],
  ['damaged', 'ssh-rsa AAAA'],
  ['damaged', ''],
  ['damaged', 'no key'],
  ['damaged', `"${key}`],
  ['too long', `${key} ${'c'.repeat(16 * 1024)}`],
])('a refused key is %s', (fault, text) => {
  expect(parseSshPublicKey(text)).toBeUndefined();
  expect(sshKeyFault(text)).toBe(fault);
});

test('a text of many quotes is read in linear time', () => {
  expect(sshKeyFault('"\\'.repeat(8_000))).toBe('damaged');
  expect(sshKeyFault('"a"'.repeat(5_000))).toBe('damaged');
});
