import { accountNamed } from './accounts.js';
import type { ApiClient } from './api-client.js';

/** Changes some fields of an account as an administrator. */
export async function updateAccount(admin: ApiClient, username: string, fields: object): Promise<void> {
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, username)), ...fields })).data();
}

/** Deletes an account as an administrator. Returns its id. */
export async function deleteAccount(admin: ApiClient, username: string): Promise<number> {
  const { id } = await accountNamed(admin, username);
  (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
  return id;
}
