import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient, type Answer, type Call } from '../support/api-client.js';
import type { ApiDocument } from '../support/api-document.js';
import { arbitraryRequest } from '../support/arbitrary-request.js';
import { logLines } from '../support/log-lines.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken } from '../support/stored-data.js';
import { timesLength } from '../support/test-length.js';

/** Requests per kind of caller, in groups that are sent in parallel. */
const GROUPS = timesLength(30);
const GROUP_SIZE = 10;

/** HTTP statuses whose answers carry the same code in the envelope. */
const FAULTS = [400, 404, 405, 413, 415, 417, 431];
/** compat: refusals with code 500 in the contract. */
const REFUSED_WITH_500 = [
  'failed get old user: record not found',
  'failed find user: record not found',
  'user name already exists',
  'this user name is reserved or was in use until recently, ask an administrator for it',
  'user id already exists',
  'username is empty',
  'cannot delete admin or guest',
  'key with the same title already exists',
  'sso login is disabled',
  'nowhere needed',
  'failed save setting: the list is empty',
  'failed to get settingItem: record not found',
];
const QUOTING_WITH_500 = /^(failed to execute hook on \w+: .|setting \[\w+\] is not deprecated$)/;

/** Routes that answer with a text. */
const TEXTS = /^\/(robots\.txt|api\/me\/sshkey\/authorized_keys|api\/admin\/activity\/export)/;

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
/** The static token has no session and survives every change of an account. */
const callers: Record<string, ApiClient> = {
  nobody: api,
  'a member': await newMember(admin, 'member'),
  'the administrator': api.as(storedStaticToken(app.dataDir)),
};
await createAccount(admin, 'victim');

/** Paths that end the session or the static token of a caller. */
const ENDS: Record<string, string[]> = {
  'a member': ['/api/auth/logout', '/api/me/update'],
  'the administrator': ['/api/admin/setting/reset_token'],
};
const documented = Object.keys(((await api.get('/openapi.json')).json as ApiDocument).paths);
const paths = [...documented, '/', '/api', '/api/nowhere', '/robots.txt', '/s3/x', '/mcp', '/api/authn/getcredentials'];

function check({ method = 'GET', path }: Call, { status, headers, text }: Answer): void {
  const seen = `${method} ${path} answered ${status} ${text.slice(0, 300)}`;
  expect(text, seen).not.toMatch(/(\n|\\n)\s+at |node_modules|\.[jt]s:|SQLITE|Error:(?!Field validation)/);
  if (method === 'HEAD' || [204, 302, 304].includes(status)) return expect(text, seen).toBe('');
  if (!String(headers['content-type']).startsWith('application/json')) {
    return expect([status, text === 'pong' || TEXTS.test(path)], seen).toEqual([200, true]);
  }
  const envelope = JSON.parse(text) as { code: number; message: string; data: unknown };
  expect(Object.keys(envelope), seen).toEqual(['code', 'message', 'data']);
  if (status !== 200) return expect([FAULTS.includes(status), envelope.code], seen).toEqual([true, status]);
  if (envelope.code !== 200) expect(envelope.data, seen).toBeNull();
  const { code, message } = envelope;
  if (code === 500 && !QUOTING_WITH_500.test(message)) expect(REFUSED_WITH_500, seen).toContain(message);
  if (code !== 500) expect([200, 400, 401, 402, 403, 404, 429], seen).toContain(envelope.code);
}

describe('any request', () => {
  it.each(['nobody', 'a member', 'the administrator'])('of %s gets an answer of the contract', async (name) => {
    const caller = callers[name]!;
    const tried = paths.filter((path) => !ENDS[name]?.includes(path));
    const group = fc.array(arbitraryRequest(tried), { minLength: GROUP_SIZE, maxLength: GROUP_SIZE });
    const property = fc.asyncProperty(group, async (calls) => {
      const answers = await Promise.all(calls.map((call) => caller.send(call)));
      for (const [index, call] of calls.entries()) check(call, answers[index]!);
    });
    await fc.assert(property, { numRuns: GROUPS, endOnFailure: true });
  });

  it('leaves the service running without errors', async () => {
    expect((await api.get('/ping')).text).toBe('pong');
    expect((await callers['the administrator']!.get('/api/admin/user/list')).code).toBe(200);
    expect(logLines(app.output()).filter(({ level }) => level >= 50)).toEqual([]);
    expect(await app.stop()).toBe(0);
    await app.restart();
    expect((await callers['the administrator']!.get('/api/me')).code).toBe(200);
  });
});
