import { createHash, randomUUID } from 'node:crypto';

/** A public key as clients send it, with the fingerprint that lists show. */
export type KeyLine = Readonly<{ line: string; fingerprint: string }>;

/** `string "ssh-ed25519"` and the length of the point that follows (RFC 8709 section 4). */
const HEAD = Buffer.from('0000000b7373682d6564323535313900000020', 'hex');

/** Derives an Ed25519 key from a text. Any 32 bytes are valid, so thousands of keys cost nothing. */
export function keyLine(seed: string): KeyLine {
  const blob = Buffer.concat([HEAD, createHash('sha256').update(seed).digest()]);
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
  return { line: `ssh-ed25519 ${blob.toString('base64')} ${seed.replaceAll(' ', '-')}`, fingerprint };
}

/** Returns a unique Ed25519 key. */
export const newKeyLine = (): KeyLine => keyLine(randomUUID());

/** Returns a line of a public key without its comment. */
export const bareKey = (line: string): string => line.split(' ').slice(0, 2).join(' ');
