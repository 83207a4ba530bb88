import type { Origin } from '@keyfold/application';
import { Refusal, successEnvelope } from '@keyfold/http-envelope';
import type { IncomingMessage } from 'node:http';
import { unstored, type FileServerAnswer } from './file-server-answer.js';
import { bodyOf } from './file-server-requests.js';
import { LoginToCheck } from './login.requests.js';
import type { AskedLogin, ServerLogins } from './server-logins.js';

/**
 * Answers `POST /logins`.
 *
 * @throws Refusal 400 for a body with both or neither of `password` and `public_key`.
 */
export async function checkLogin(
  request: IncomingMessage,
  logins: ServerLogins,
  origin: Origin,
): Promise<FileServerAnswer> {
  const { account, factors, codeRequired } = await logins.check(askedBy(await bodyOf(LoginToCheck, request)), origin);
  const shown = account && {
    id: account.id,
    username: account.username,
    base_path: account.basePath,
    permission: account.permission,
    write: account.write,
  };
  return unstored(successEnvelope({ account: shown, factors, ...(codeRequired && { code_required: true }) }));
}

function askedBy({ protocol, username, password, public_key: publicKey, code, address }: LoginToCheck): AskedLogin {
  const who = { protocol, username, address };
  if (password !== undefined && publicKey === undefined) return { ...who, password, code };
  if (publicKey === undefined || password !== undefined) throw new Refusal(400, 'send either password or public_key');
  if (code !== undefined) throw new Refusal(400, 'code can only be sent with password');
  return { ...who, publicKey };
}
