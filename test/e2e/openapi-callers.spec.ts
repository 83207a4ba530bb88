import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { refusalsOf, type Operation } from '../support/api-document.js';
import { callExample, servedOperations } from '../support/documented-operations.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken } from '../support/stored-data.js';

const app = await sharedApp();
const nobody = new ApiClient(app.baseUrl);
const admin = await adminOf(nobody);
const { operations, schemas } = await servedOperations(nobody);

/** A kind of caller: how to get a new one, and its refusals by the routes that do not permit it. */
type Kind = Readonly<{ name: string; caller: () => Promise<ApiClient>; refusals: readonly string[] }>;

let members = 0;
const NOT_AN_ADMIN = '403 You are not an admin';
const kinds: readonly Kind[] = [
  {
    name: 'nobody',
    caller: async () => nobody,
    refusals: ['401 Guest user is disabled, login please'],
  },
  {
    name: 'the enabled guest',
    caller: enabledGuest,
    refusals: [
      NOT_AN_ADMIN,
      '401 user invalid',
      '403 Guest user can not generate 2FA code',
      '403 Guest user can not update profile',
    ],
  },
  { name: 'a general user', caller: () => newMember(admin, `member${++members}`), refusals: [NOT_AN_ADMIN] },
  { name: 'a disabled user', caller: disabledMember, refusals: ['401 Current user is disabled, replace please'] },
  { name: 'an administrator', caller: () => adminOf(nobody), refusals: [] },
  { name: 'the static token', caller: async () => nobody.as(storedStaticToken(app.dataDir)), refusals: [] },
];
const REFUSALS_OF_CALLERS = new Set(kinds.flatMap(({ refusals }) => refusals));

async function enabledGuest(): Promise<ApiClient> {
  const guest = await accountNamed(admin, 'guest');
  (await admin.post('/api/admin/user/update', { ...guest, disabled: false })).data();
  onTestFinished(async () => void (await admin.post('/api/admin/user/update', { ...guest, disabled: true })).data());
  return nobody;
}

async function disabledMember(): Promise<ApiClient> {
  const member = await newMember(admin, `disabled${++members}`);
  const account = await accountNamed(admin, `disabled${members}`);
  (await admin.post('/api/admin/user/update', { ...account, disabled: true })).data();
  return member;
}

/** Returns the documented refusal of an operation for a kind of caller, if the operation does not permit it. */
function refusalFor({ refusals }: Kind, operation: Operation): string | undefined {
  const documented = refusalsOf(operation).filter((refusal) => !refusal.test('400 any text'));
  return refusals.find((outcome) => documented.some((refusal) => refusal.test(outcome)));
}

// The examples are about the account `bob` with id 3.
beforeAll(() => createAccount(admin, 'bob'));

describe.each(kinds)('$name', (kind) => {
  it.each(operations)('gets the documented answer of %s', async (route, operation) => {
    const answer = await callExample(await kind.caller(), route, operation);
    expect(schemas.problemWith(operation, answer)).toBeUndefined();
    const { outcome } = answer;
    const refusal = refusalFor(kind, operation);
    if (refusal !== undefined) expect(outcome).toBe(refusal);
    else {
      expect(REFUSALS_OF_CALLERS).not.toContain(outcome);
      expect(
        [/^200 /, ...refusalsOf(operation)].some((documented) => documented.test(outcome)),
        outcome,
      ).toBe(true);
    }
  });
});

it.each(operations)('the refusals of callers agree with the address of %s', (route, operation) => {
  const refused = kinds.filter((kind) => refusalFor(kind, operation)).map(({ name }) => name);
  const [, path = ''] = route.split(' ');
  if (!operation.security) expect(refused).toEqual([]);
  else expect(refused).toEqual(expect.arrayContaining(['nobody', 'a disabled user']));
  expect(refused.includes('a general user')).toBe(path.startsWith('/api/admin/'));
});
