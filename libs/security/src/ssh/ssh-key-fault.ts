import { KEY_TYPES } from './ssh-key-types.js';
import { firstWord, keyLinesIn, MAX_TEXT_BYTES, wireStrings } from './ssh-public-key.js';

/** Why `parseSshPublicKey` refuses a text. */
export type SshKeyFault = 'weak' | 'damaged' | 'kind refused' | 'options before the key' | 'several keys' | 'too long';

/** Options in front of a key: words and quoted texts with commas between them (sshd(8)). */
const OPTIONS = /^(?:[^\s"]|"(?:\\.|[^"\\])*")+[ \t]+/;
/** Other types, signature algorithms, and the headers of private keys and of other formats. */
const OTHER_KIND = /^(?:ssh|rsa|ecdsa|sk|x509|webauthn)-|^-----?[ ]?BEGIN/;
const MIN_RSA_MODULUS = 2n ** 2047n;

/** Returns why a text that `parseSshPublicKey` refuses is no key. */
export function sshKeyFault(text: string): SshKeyFault {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return 'too long';
  const [line = '', ...others] = keyLinesIn(text);
  const [type, rest] = firstWord(line);
  if (KEY_TYPES.has(type)) {
    if (others.length > 0) return 'several keys';
    const [, , modulus] = wireStrings(Buffer.from(firstWord(rest)[0], 'base64')) ?? [];
    const isShort = type === 'ssh-rsa' && modulus && BigInt(`0x0${modulus.toString('hex')}`) < MIN_RSA_MODULUS;
    return isShort ? 'weak' : 'damaged';
  }
  if (OTHER_KIND.test(line)) return 'kind refused';
  const behindOptions = line.replace(OPTIONS, '');
  return behindOptions !== line && KEY_TYPES.has(firstWord(behindOptions)[0]) ? 'options before the key' : 'damaged';
}
