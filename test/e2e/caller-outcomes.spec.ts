import { accessTokenScopes, grantsScope, type AccessTokenScope } from '@keyfold/domain';
import { afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { updateAccount } from '../support/account-changes.js';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { refusalsOf } from '../support/api-document.js';
import { callExample, servedOperations } from '../support/documented-operations.js';
import { ROUTE_ANSWERS, type RouteAnswers } from '../support/documented-routes.js';
import { sharedApp } from '../support/shared-app.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';
import { storedStaticToken } from '../support/stored-data.js';

const app = await sharedApp();
const nobody = new ApiClient(app.baseUrl);
let admin = await adminOf(nobody);
const { operations, schemas } = await servedOperations(nobody);

const NOT_AN_ADMIN = '403 You are not an admin';
const TAKES_NO_TOKENS = '403 access tokens are not accepted here, log in instead';
/** Routes after whose success the caller has to log in again, or has another token. */
const ENDS_CALLER = ['GET /api/auth/logout', 'POST /api/admin/setting/reset_token', 'POST /api/me/revoke-everything'];
/** `accounts:manage` includes `accounts:read`. */
const EVERY_SCOPE = accessTokenScopes.filter((scope) => scope !== 'accounts:read');
const SCOPES_OF_MEMBERS: readonly AccessTokenScope[] = ['profile:read', 'activity:read', 'keys:manage', 'files'];

const forAdmin = (answers: RouteAnswers) => ('admin' in answers ? answers.admin : forMember(answers));
const forMember = (answers: RouteAnswers) => ('user' in answers ? answers.user : NOT_AN_ADMIN);
const forStaticToken = (answers: RouteAnswers) =>
  ('staticToken' in answers ? answers.staticToken : undefined) ?? forAdmin(answers);
const forGuest = (answers: RouteAnswers) => ('guest' in answers ? answers.guest : NOT_AN_ADMIN);
const forToken = (answers: RouteAnswers, granted: readonly AccessTokenScope[]) => {
  if (!answers.scope) return TAKES_NO_TOKENS;
  return grantsScope(granted, answers.scope)
    ? forAdmin(answers)
    : `403 the access token lacks the scope ${answers.scope}`;
};

/** A kind of caller: how to get one, and the answer that it gets from a route that does not serve everybody. */
type Kind = readonly [name: string, caller: () => Promise<ApiClient>, answerOf: (answers: RouteAnswers) => string];

let members = 0;
const kinds: readonly Kind[] = [
  ['nobody', async () => nobody, () => '401 Guest user is disabled, login please'],
  ['the enabled guest', enabledGuest, forGuest],
  ['a general user', () => newMember(admin, `member${++members}`), forMember],
  ['a disabled user', disabledMember, () => '401 Current user is disabled, replace please'],
  ['an administrator', () => adminOf(nobody), forAdmin],
  ['the static token', async () => nobody.as(storedStaticToken(app.dataDir)), forStaticToken],
  ...[...accessTokenScopes.map((scope) => [scope]), EVERY_SCOPE].map((scopes): Kind => [
    `an access token with ${scopes.join()}`,
    async () => (await newAccessToken(admin, scopes)).client,
    (answers) => forToken(answers, scopes),
  ]),
  [
    'an access token of a general user',
    async () => (await newAccessToken(await newMember(admin, `member${++members}`), SCOPES_OF_MEMBERS)).client,
    (answers) => ('admin' in answers ? NOT_AN_ADMIN : forToken(answers, SCOPES_OF_MEMBERS)),
  ],
];

async function enabledGuest(): Promise<ApiClient> {
  await updateAccount(admin, 'guest', { disabled: false });
  onTestFinished(() => updateAccount(admin, 'guest', { disabled: true }));
  return nobody;
}

async function disabledMember(): Promise<ApiClient> {
  const name = `disabled${++members}`;
  const member = await newMember(admin, name);
  await updateAccount(admin, name, { disabled: true });
  return member;
}

// The examples are about the account `bob` with id 3.
beforeAll(() => createAccount(admin, 'bob'));

/** Undoes what the examples change. */
afterEach(async () => {
  await updateAccount(admin, 'bob', { password: 'pw-bob' });
  for (const { id } of await listedKeysOf(admin)) (await admin.post(`/api/me/sshkey/delete?id=${id}`)).data();
});

const outcomeOf = (answer: Answer) =>
  answer.hasEnvelope ? answer.outcome : `${answer.status} ${String(answer.headers['content-type']).split(';')[0]}`;

it.each(kinds)('%s gets the right and documented answer of every route', async (_name, newCaller, answerOf) => {
  let caller = await newCaller();
  const [expected, received]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const [route, operation] of operations) {
    const answer = await callExample(caller, route, operation);
    const outcome = outcomeOf(answer);
    const isDocumented = [/^200 /, ...refusalsOf(operation)].some((documented) => documented.test(outcome));
    received[route] = schemas.problemWith(operation, answer) ?? (isDocumented ? outcome : `undocumented: ${outcome}`);
    const answers = ROUTE_ANSWERS[route];
    expected[route] = !answers ? 'a row of ROUTE_ANSWERS' : 'anybody' in answers ? answers.anybody : answerOf(answers);
    if (!ENDS_CALLER.includes(route)) continue;
    // The caller may be the administrator.
    admin = await adminOf(nobody);
    caller = await newCaller();
  }
  expect(received).toEqual(expected);
});

it('the document names the scope of each route', () => {
  const scopeIn = (description = '') =>
    /Access tokens need the scope `(.*?)`\./.exec(description)?.[1] ??
    /Takes no access tokens\./.exec(description)?.[0] ??
    /access token/i.exec(description)?.[0];
  const named = operations.map(([route, { description }]) => [route, scopeIn(description)]);
  const expected = Object.entries(ROUTE_ANSWERS).map(([route, answers]) => [
    route,
    'anybody' in answers ? undefined : (answers.scope ?? 'Takes no access tokens.'),
  ]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected));
  for (const [route, { security }] of operations) expect(!security, route).toBe('anybody' in ROUTE_ANSWERS[route]!);
});
