/** An SSH public key: a line of an `authorized_keys` file. */
export type PublicKey = Readonly<{ type: string; blob: Uint8Array<ArrayBuffer>; comment: string }>;

/** Larger files are no public keys. */
export const LARGEST_FILE = 64 * 1_024;

const LONGEST_TYPE = 100;

/** Returns whether a text contains a private key, of OpenSSH, OpenSSL or PuTTY. */
export const isPrivateKey = (text: string): boolean =>
  /---- ?BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-/.test(text);

/** Reads the only key of a text. Returns undefined for other texts; the service decides about the rest. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length !== 1) return undefined;
  const [type = '', base64 = '', ...comment] = lines[0]!.split(/[ \t]+/);
  const blob = bytesOf(base64);
  return blob && typeIn(blob) === type ? { type, blob, comment: comment.join(' ') } : undefined;
}

/** Returns the fingerprint in the format of `ssh-keygen -l`. Returns undefined where browsers offer no cryptography: without HTTPS. */
export async function fingerprintOf({ blob }: PublicKey): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', blob));
  return `SHA256:${btoa(String.fromCharCode(...hash)).replace(/=+$/, '')}`;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** RFC 4253 section 6.6: the key repeats its type, after the length of the type in four bytes. */
function typeIn(blob: Uint8Array<ArrayBuffer>): string | undefined {
  if (blob.length < 4) return undefined;
  const end = 4 + new DataView(blob.buffer).getUint32(0);
  return end <= blob.length && end <= LONGEST_TYPE ? String.fromCharCode(...blob.subarray(4, end)) : undefined;
}
