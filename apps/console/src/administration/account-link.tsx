import { t } from '../texts/texts.js';
import { BASE } from '../ui/router.js';

/** Leads to the screen of an account. The name of a deleted account is empty. */
export const AccountLink = ({ id, username }: Readonly<{ id: number; username: string }>) =>
  username === '' ? <span class="hint">{t.access.deleted}</span> : <a href={`${BASE}/accounts/${id}`}>{username}</a>;
