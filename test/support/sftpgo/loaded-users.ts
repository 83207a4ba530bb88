import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { needs } from '../needs.js';

await needs('jq');

const FILTER = join(resolve(import.meta.dirname, '../../..'), 'deploy/sftpgo/users.jq');

/** Returns the users that the filter makes of accounts, as the guide runs it. */
export function loadedUsers(accounts: readonly object[]): readonly Readonly<{ username: string; status: number }>[] {
  const input = accounts.map((each) => `${JSON.stringify(each)}\n`).join('');
  const output = execFileSync('jq', ['--slurp', '--from-file', FILTER], { input, encoding: 'utf8' });
  return (JSON.parse(output) as { users: { username: string; status: number }[] }).users;
}
