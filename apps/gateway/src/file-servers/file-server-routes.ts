import {
  FindSshKeyQuery,
  LookUpPastSshKeysQuery,
  LookUpSshKeysQuery,
  RecordSshKeyUseCommand,
  actorOf,
  type Caller,
  type LookedUpAccount,
  type Origin,
  type SshKeyOwners,
} from '@keyfold/application';
import { DomainError, mayLogInOver, type AccessTokenScope } from '@keyfold/domain';
import { CommandIdReused } from '@keyfold/event-store';
import { instantOf, Refusal, successEnvelope } from '@keyfold/http-envelope';
import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { received, revalidated, type FileServerAnswer } from './file-server-answer.js';
import { bodyOf, queryOf } from './file-server-requests.js';
import { KeyLookUp, KeyOwnerLookUp, KeyUseReport } from './key-look-up.requests.js';
import { checkLogin } from './login-route.js';
import { PastLookUps } from './past-look-ups.js';
import type { ServerLogins } from './server-logins.js';
import type { SftpgoHooks } from './sftpgo-hooks.js';

/** Answers an accepted request. */
type Handler = (request: IncomingMessage, caller: Caller, origin: Origin) => Promise<FileServerAnswer>;

/** A route: its method, the scope that its callers need, and its handler. `answerTime` is in milliseconds, if it may take longer than others. */
export type FileServerRoute = Readonly<{
  method: 'GET' | 'POST';
  scope: AccessTokenScope;
  handle: Handler;
  answerTime?: number;
}>;

/** A full queue of hashes takes two seconds, and the throttle and the code come on top. */
const LOGIN_ANSWER_TIME = 10_000;

/** Reports which key use was not recorded. */
export type OnUnrecorded = (reason: string, origin: Origin) => void;

/** Returns the routes of the servers port by their paths. */
export function fileServerRoutes(
  queryBus: QueryBus,
  commandBus: CommandBus,
  logins: ServerLogins,
  sftpgo: SftpgoHooks,
  onUnrecorded: OnUnrecorded,
): ReadonlyMap<string, FileServerRoute> {
  const past = new PastLookUps(queryBus);
  const lookUp = async (request: IncomingMessage) => {
    const { username = '', fingerprint, at } = queryOf(KeyLookUp, request);
    const found = await (at === undefined
      ? queryBus.execute(new LookUpSshKeysQuery(username, fingerprint))
      : past.execute(new LookUpPastSshKeysQuery(username, fingerprint, instantOf(at)!)));
    // No answer reveals whether the name is unknown, the account cannot log in, or the key is missing.
    return found && found.keys.length > 0 ? found : null;
  };
  return new Map<string, FileServerRoute>([
    [
      '/authorized_keys',
      {
        method: 'GET',
        scope: 'keys:look-up',
        async handle(request) {
          const keys = (await lookUp(request))?.keys ?? [];
          // Without titles, which their owners choose.
          const lines = keys.map(({ type, blob }) => `${type} ${blob}\n`);
          return revalidated('text', lines.join(''), request.headers['if-none-match']);
        },
      },
    ],
    [
      '/ssh-keys',
      {
        method: 'GET',
        scope: 'keys:look-up',
        async handle(request) {
          const found = await lookUp(request);
          return revalidated('json', successEnvelope(dataOf(found)), request.headers['if-none-match']);
        },
      },
    ],
    [
      '/ssh-key-owners',
      {
        method: 'GET',
        scope: 'keys:look-up',
        async handle(request) {
          const { fingerprint, after } = queryOf(KeyOwnerLookUp, request);
          const found = await queryBus.execute(new FindSshKeyQuery(fingerprint, Number(after)));
          return revalidated('json', successEnvelope(ownersOf(found)), request.headers['if-none-match']);
        },
      },
    ],
    [
      '/logins',
      {
        method: 'POST',
        scope: 'logins:verify',
        answerTime: LOGIN_ANSWER_TIME,
        handle: (request, _caller, origin) => checkLogin(request, logins, origin),
      },
    ],
    [
      '/sftpgo/auth',
      {
        method: 'POST',
        scope: 'logins:verify',
        answerTime: LOGIN_ANSWER_TIME,
        handle: (request, _caller, origin) => sftpgo.authenticate(request, origin),
      },
    ],
    [
      '/sftpgo/prompts',
      {
        method: 'POST',
        scope: 'logins:verify',
        answerTime: LOGIN_ANSWER_TIME,
        handle: (request, _caller, origin) => sftpgo.prompt(request, origin),
      },
    ],
    ['/sftpgo/transfers', { method: 'POST', scope: 'logins:verify', handle: (request) => sftpgo.transfer(request) }],
    [
      '/sftpgo/sessions',
      { method: 'POST', scope: 'logins:verify', handle: (request) => sftpgo.endedSessions(request) },
    ],
    [
      '/ssh-key-uses',
      {
        method: 'POST',
        scope: 'keys:look-up',
        async handle(request, caller, origin) {
          const { id, username, fingerprint, time } = await bodyOf(KeyUseReport, request);
          const found = await queryBus.execute(new LookUpSshKeysQuery(username, fingerprint));
          if (!found) return received;
          const use = { accountId: found.accountId, fingerprint, usedAt: instantOf(time)! };
          const report = { reporter: actorOf(caller), reportId: id, origin };
          try {
            await commandBus.execute(new RecordSshKeyUseCommand({ ...use, ...report }));
          } catch (error) {
            if (error instanceof CommandIdReused)
              throw new Refusal(409, 'the id belongs to a report about another account');
            if (!(error instanceof DomainError)) throw error;
            onUnrecorded(error.code, origin);
          }
          return received;
        },
      },
    ],
  ]);
}

/** Returns the data of the JSON answer. */
function dataOf(found: LookedUpAccount | null) {
  if (!found) return { account: null, keys: [] };
  const { accountId: id, username, basePath: base_path, permission } = found;
  const keys = found.keys.map(({ keyId, title, type, blob, fingerprint }) => ({
    id: keyId,
    title,
    type,
    fingerprint,
    public_key: `${type} ${blob}`,
  }));
  return { account: { id, username, base_path, permission }, keys };
}

/** Returns the accounts that can log in with the key. Leaves out others, such as disabled ones. */
function ownersOf({ owners, next }: SshKeyOwners) {
  const accounts = owners
    .filter(({ disabled, expired, permission }) => !disabled && !expired && mayLogInOver('sftp', permission))
    .map(({ accountId: id, username, basePath: base_path, permission }) => ({ id, username, base_path, permission }));
  return { accounts, next: next ?? null };
}
