import type { ApiClient } from './api-client.js';

/** The password that the test environment gives to the first admin. */
export const ADMIN_PASSWORD = 'Adm1n-pass';

/** An account as the administration shows it, as far as tests look at it. */
export interface ListedAccount {
  id: number;
  username: string;
  disabled: boolean;
}

let addresses = 0;

/** An address that no other login of the test file came from, so that no login counts against another. */
export function newAddress(): string {
  addresses++;
  return `172.20.${addresses >> 8}.${addresses & 255}`;
}

/** Speaks as the first admin. */
export function adminOf(api: ApiClient): Promise<ApiClient> {
  return api.from(newAddress()).signedIn('admin', ADMIN_PASSWORD);
}

/** The admin makes an account, whose password is `pw-<name>`. */
export async function createAccount(admin: ApiClient, username: string, fields: object = {}): Promise<ListedAccount> {
  (await admin.post('/api/admin/user/create', { username, password: `pw-${username}`, role: 0, ...fields })).data();
  return accountNamed(admin, username);
}

/** The account of this name in the admin's list. Throws when there is none. */
export async function accountNamed(admin: ApiClient, username: string): Promise<ListedAccount> {
  const { content } = (await admin.get('/api/admin/user/list')).data<{ content: ListedAccount[] }>();
  const found = content.find((account) => account.username === username);
  if (!found) throw new Error(`no account is named ${username}`);
  return found;
}

/** Logs an account of `createAccount` in. */
export function signedInAs(api: ApiClient, username: string): Promise<ApiClient> {
  return api.from(newAddress()).signedIn(username, `pw-${username}`);
}

/** Makes an account and logs it in. */
export async function newMember(admin: ApiClient, username: string): Promise<ApiClient> {
  await createAccount(admin, username);
  return signedInAs(admin, username);
}
