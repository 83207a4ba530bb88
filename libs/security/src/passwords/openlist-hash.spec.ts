import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Argon2PasswordHasher } from './argon2-password-hasher.js';
import { isWrapped, wrapOpenlistHash } from './openlist-hash.js';
import { staticHash } from './password-hasher.js';

const hasher = new Argon2PasswordHasher({ concurrency: 2, maxWaiting: 10 });
/** The hash and salt that OpenList 4.2.5 stored for the password "correct horse". */
const stored = { hash: '8715cad856d2081f4fc7e8531df32836b60b662665b57de57b14e8321a61f5b4', salt: '3CTPySr4VFPxz95M' };

describe('a wrapped hash of OpenList', () => {
  it('matches only its password', async () => {
    const wrapped = await wrapOpenlistHash(stored, hasher);
    expect(await hasher.verify(staticHash('correct horse'), wrapped)).toBe(true);
    expect(await hasher.verify(staticHash('correct Horse'), wrapped)).toBe(false);
  });

  it('does not match the hash that it wraps, so a stolen database lets nobody in', async () => {
    const wrapped = await wrapOpenlistHash(stored, hasher);
    expect(await hasher.verify(stored.hash, wrapped)).toBe(false);
  });

  it('has the cost of every other hash and does not contain the original one', async () => {
    const wrapped = await wrapOpenlistHash(stored, hasher);
    expect(wrapped).toMatch(/^openlist\$3CTPySr4VFPxz95M\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(wrapped).not.toContain(stored.hash);
  });

  it.each(['', '$', '$argon2id$', 'a\nb'])('can have the salt %j', async (salt) => {
    const secret = staticHash('pw');
    const original = hash('sha256', `${secret}-${salt}`, 'hex');
    expect(await hasher.verify(secret, await wrapOpenlistHash({ hash: original, salt }, hasher))).toBe(true);
  });

  it('is bounded like every other hash', async () => {
    const wrapped = await wrapOpenlistHash(stored, hasher);
    const expensive = wrapped.replace('m=19456', 'm=1048577');
    expect(await hasher.verify(staticHash('correct horse'), expensive)).toBe(false);
  });

  it('is told apart from the normal form', async () => {
    expect(isWrapped(await wrapOpenlistHash(stored, hasher))).toBe(true);
    expect(isWrapped(await hasher.hash(staticHash('pw')))).toBe(false);
  });
});
