import { requireNoAdmin } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import type { CommandRunner } from '../command-runner.js';
import type { Administrator } from './caller.js';

/**
 * Throws `admin-unchangeable-by-token` if an access token is used to change the account of an administrator. Otherwise a token that manages
 * accounts could take over an administrator, who may do more. A role never changes, so the check cannot be overtaken.
 */
export async function protectAdmins(caller: Administrator, accountId: number, runner: CommandRunner): Promise<void> {
  if (caller.by === 'access-token') await runner.check(accountStream(accountId), requireNoAdmin);
}
