import { randomBytes } from 'node:crypto';

/** The wire form of an Ed25519 key (RFC 8709) before its 32 bytes. */
const PREFIX = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20', 'latin1');

/** Returns bodies of requests that add a key. No title and no key repeats. */
export function keyBodies(count) {
  const random = randomBytes(32 * count);
  return Array.from({ length: count }, (_, index) => {
    const point = random.subarray(32 * index, 32 * (index + 1));
    const key = `ssh-ed25519 ${Buffer.concat([PREFIX, point]).toString('base64')}`;
    return JSON.stringify({ title: `key ${point.toString('hex', 0, 12)}`, key });
  });
}
