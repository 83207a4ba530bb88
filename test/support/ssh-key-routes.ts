import type { ApiClient } from './api-client.js';

/** A key as a list shows it. */
export type FullListedKey = Readonly<{
  id: number;
  title: string;
  fingerprint: string;
  type: string;
  bits: number;
  comment: string;
  fingerprint_md5: string;
  expires_time: string | null;
  expired: boolean;
}>;

/** Returns the caller's keys. */
export const listedKeysOf = async (member: ApiClient) =>
  (await member.get('/api/me/sshkey/list')).data<{ content: FullListedKey[] }>().content;

/** Returns the lines of the caller's `authorized_keys` file. */
export async function authorizedKeysOf(member: ApiClient): Promise<string[]> {
  const { text } = await member.get('/api/me/sshkey/authorized_keys');
  return text.split('\n').slice(0, -1);
}

/** Returns the owners that an administrator finds by a fingerprint. */
export const ownersOf = async (admin: ApiClient, fingerprint: string) =>
  (await admin.get(`/api/admin/sshkey/find?fingerprint=${encodeURIComponent(fingerprint)}`)).data<{
    content: {
      user_id: number;
      username: string;
      disabled: boolean;
      key_id: number;
      title: string;
      expired: boolean;
    }[];
    next: number | null;
  }>();

/** Returns an RFC 3339 time this long from now. */
export const inMilliseconds = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
