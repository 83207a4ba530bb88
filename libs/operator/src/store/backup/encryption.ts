import { reasonOf } from '@keyfold/reporting';
import { Decrypter, Encrypter } from 'age-encryption';
import { UnusableBackup, type Manifest } from './manifest.js';

type Bytes = AsyncIterable<Uint8Array>;
type Way = Manifest['encryption'];

/** How parts are written. `apply` is missing for plain parts. */
export type Encryption = Readonly<{ way: Way; apply?: (plain: Bytes) => Bytes }>;

/** Returns the plain bytes of a part. Throws `UnusableBackup` if the given secret does not open it. */
export type Decryption = (encrypted: Bytes) => Bytes;

/** Secrets of the command line: the text of an identity file, and a passphrase. */
export type Secrets = Readonly<{ identities?: string | undefined; passphrase?: string | undefined }>;

/** Returns how to encrypt to age recipients or with a passphrase. Throws `UnusableBackup` for a wrong recipient. */
export function encryptionFor(recipients: readonly string[], passphrase: string | undefined): Encryption {
  if (recipients.length === 0 && passphrase === undefined) return { way: 'none' };
  const encrypter = new Encrypter();
  if (passphrase !== undefined) encrypter.setPassphrase(passphrase);
  try {
    for (const recipient of recipients) encrypter.addRecipient(recipient);
  } catch (error) {
    throw new UnusableBackup(`a recipient is not a public key of age, such as age1...: ${reasonOf(error)}`);
  }
  return {
    way: passphrase === undefined ? 'recipient' : 'passphrase',
    async *apply(plain) {
      yield* await encrypter.encrypt(ReadableStream.from(plain));
    },
  };
}

const MISSING: Readonly<Record<Exclude<Way, 'none'>, string>> = {
  recipient: 'the backup is encrypted to a recipient. Name its private key with --identity',
  passphrase: 'the backup is encrypted with a passphrase. Name its file with --passphrase-file',
};

/** Returns how to decrypt the parts of a backup. Throws `UnusableBackup` if the secret is missing or none. */
export function decryptionFor(way: Way, { identities, passphrase }: Secrets): Decryption {
  if (way === 'none') return (plain) => plain;
  const decrypter = new Decrypter();
  if (way === 'passphrase') {
    if (passphrase === undefined) throw new UnusableBackup(MISSING.passphrase);
    decrypter.addPassphrase(passphrase);
  } else {
    const keys = identities?.split(/\r?\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-')) ?? [];
    if (keys.length === 0) throw new UnusableBackup(MISSING.recipient);
    for (const key of keys) addIdentity(decrypter, key);
  }
  return (encrypted) => decrypted(decrypter, encrypted);
}

/** The errors of the library can contain the key. */
function addIdentity(decrypter: Decrypter, key: string): void {
  try {
    decrypter.addIdentity(key.trim());
  } catch {
    throw new UnusableBackup('the identity file has a private key that is not valid');
  }
}

async function* decrypted(decrypter: Decrypter, encrypted: Bytes): AsyncGenerator<Uint8Array> {
  let stream;
  try {
    stream = await decrypter.decrypt(ReadableStream.from(encrypted));
  } catch (error) {
    throw new UnusableBackup(`the identity or the passphrase does not open the backup: ${reasonOf(error)}`);
  }
  yield* stream;
}
