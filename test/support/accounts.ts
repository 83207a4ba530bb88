import type { ApiClient } from './api-client.js';

/** The password of the first admin in the test environment. */
export const ADMIN_PASSWORD = 'Adm1n-pass';

/** The fields of a listed account that tests read. */
export interface ListedAccount {
  id: number;
  username: string;
  disabled: boolean;
}

let addresses = 0;

/** Returns an address that no other login of this process uses, so that logins do not share a throttle. */
export function newAddress(): string {
  addresses++;
  return `172.20.${addresses >> 8}.${addresses & 255}`;
}

/** Returns a client signed in as the first admin. */
export function adminOf(api: ApiClient): Promise<ApiClient> {
  return api.from(newAddress()).signedIn('admin', ADMIN_PASSWORD);
}

/** Creates an account with the password `pw-<name>`. */
export async function createAccount(admin: ApiClient, username: string, fields: object = {}): Promise<ListedAccount> {
  await requestAccount(admin, username, fields);
  return accountNamed(admin, username);
}

/** Returns the account with this name from the admin's list. Throws if there is none. */
export async function accountNamed(admin: ApiClient, username: string): Promise<ListedAccount> {
  const { content } = (await admin.get('/api/admin/user/list')).data<{ content: ListedAccount[] }>();
  const found = content.find((account) => account.username === username);
  if (!found) throw new Error(`no account is named ${username}`);
  return found;
}

/** Returns a client signed in to an account that `createAccount` created. */
export function signedInAs(api: ApiClient, username: string): Promise<ApiClient> {
  return api.from(newAddress()).signedIn(username, `pw-${username}`);
}

/** Creates an account and returns a client signed in to it. */
export async function newMember(admin: ApiClient, username: string): Promise<ApiClient> {
  await requestAccount(admin, username, {});
  return signedInAs(admin, username);
}

async function requestAccount(admin: ApiClient, username: string, fields: object): Promise<void> {
  const password = `pw-${username}`;
  (await admin.post('/api/admin/user/create', { username, password, role: 0, ...fields })).data();
}
