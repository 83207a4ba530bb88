import type { ApiClient } from './api-client.js';

/** An app password as lists show it. */
export type ShownAppPassword = Readonly<{
  id: number;
  name: string;
  protocol: string;
  created: string;
  expires: string | null;
  last_used: string | null;
  expired: boolean;
}>;

/** A new app password with its text. */
export type NewAppPassword = ShownAppPassword & Readonly<{ password: string }>;

let names = 0;

/** Creates an app password, by default with a new name, for every protocol and without an expiry. */
export async function newAppPassword(
  owner: ApiClient,
  fields: Readonly<{ name?: string; protocol?: string; expires?: string | null }> = {},
): Promise<NewAppPassword> {
  const body = { name: `app ${++names}`, protocol: 'any', expires: null, ...fields };
  return (await owner.post('/api/me/app_passwords', body)).data<NewAppPassword>();
}

/** Returns the caller's app passwords. */
export const appPasswordsOf = async (owner: ApiClient): Promise<ShownAppPassword[]> =>
  (await owner.get('/api/me/app_passwords')).data<ShownAppPassword[]>();
