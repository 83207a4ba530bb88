import { expect } from 'vitest';
import { adminOf, newMember } from './accounts.js';
import { ApiClient } from './api-client.js';
import { newKeyLine } from './key-line.js';
import { listedKeysOf, ownersOf } from './ssh-key-routes.js';

/**
 * Adds and deletes keys at one address and searches their owner at the other, in turn, so that a search that misses an acknowledged change
 * fails. Every request has its own connection.
 */
export async function expectOwnersFound(urls: readonly [string, string], name: string, keys: number): Promise<void> {
  const admins = await Promise.all(urls.map((url) => adminOf(new ApiClient(url))));
  const first = await newMember(admins[0]!, name);
  const members = urls.map((url) => new ApiClient(url).as(first.token));
  for (let n = 0; n < keys; n++) {
    const [writer, reader] = [members[n % 2]!, admins[(n + 1) % 2]!];
    const key = newKeyLine();
    (await writer.post('/api/me/sshkey/add', { title: `key ${n}`, key: key.line })).data();
    const found = (await ownersOf(reader, key.fingerprint)).content;
    expect(found, `key ${n} after its addition`).toMatchObject([{ username: name, title: `key ${n}` }]);
    const [listed] = await listedKeysOf(writer);
    (await writer.post(`/api/me/sshkey/delete?id=${listed!.id}`)).data();
    expect((await ownersOf(reader, key.fingerprint)).content, `key ${n} after its removal`).toEqual([]);
  }
}
