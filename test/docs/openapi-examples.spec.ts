import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../../libs/messaging/testing/format-json.js';
import { expectedAnswer, readKeys, readRecordings, type Json, type SendStep } from '../contract/recording.js';
import { SAMPLE_ACCOUNT_ID, SAMPLE_SECRET, sampleText } from '../contract/sample-text.js';
import { Variables } from '../contract/variables.js';

const FILE = resolve(import.meta.dirname, '../../apps/gateway/src/openapi/operation-examples.json');

/** A recorded step: group, case and index. */
type Source = readonly [group: string, id: string, step: number];

/** The recordings behind the examples of each operation. Operations that the recordings do not show have examples of our own in the file. */
const SOURCES: Readonly<Record<string, { success?: Source; refusal?: Source }>> = {
  ping: { success: ['account/connectivity', 'A1', 0] },
  login: { success: ['account/admin-users', 'I3', 3], refusal: ['account/admin-users', 'I11', 6] },
  loginWithHash: { success: ['account/login', 'C3', 0], refusal: ['account/login', 'C4', 0] },
  loginWithLdap: { refusal: ['account/lock', 'D20', 6] },
  logout: { success: ['account/tokens', 'E13', 1], refusal: ['account/tokens', 'E13', 3] },
  generateTwoFactorSecret: { success: ['account/two-factor', 'G35', 0], refusal: ['account/two-factor', 'G16', 1] },
  enableTwoFactor: { success: ['account/two-factor', 'G4', 1], refusal: ['account/two-factor', 'G5', 1] },
  getProfile: { success: ['account/admin-users', 'I45', 4], refusal: ['account/tokens', 'E36', 4] },
  updateProfile: { success: ['account/profile', 'F3', 0], refusal: ['account/profile', 'F7', 0] },
  listSshKeys: { success: ['account/profile', 'F26', 3], refusal: ['account/ssh-keys', 'H25', 0] },
  addSshKey: { success: ['account/ssh-keys', 'H2', 0], refusal: ['account/ssh-keys', 'H47', 1] },
  deleteSshKey: { success: ['account/ssh-keys', 'H18', 2], refusal: ['account/ssh-keys', 'H18', 4] },
  listUsers: { success: ['account/admin-users', 'I1', 1], refusal: ['account/admin-users', 'I23', 0] },
  getUser: { success: ['account/admin-users', 'I3', 2], refusal: ['account/admin-users', 'I8', 0] },
  createUser: { success: ['account/admin-users', 'I3', 0], refusal: ['account/admin-users', 'I7', 0] },
  updateUser: { success: ['account/admin-users', 'I11', 4], refusal: ['account/admin-users', 'I12', 2] },
  deleteUser: { success: ['account/admin-users', 'I19', 2], refusal: ['account/admin-users', 'I19', 3] },
  disableUserTwoFactor: { success: ['account/admin-users', 'I20', 2], refusal: ['account/admin-users', 'I20', 3] },
  listUserSshKeys: { success: ['account/ssh-keys', 'H28', 3], refusal: ['account/ssh-keys', 'H87', 4] },
  deleteUserSshKey: { success: ['account/ssh-keys', 'H30', 2], refusal: ['account/ssh-keys', 'H30', 5] },
  getSetting: { success: ['settings/admin-settings', 'J4', 0], refusal: ['settings/admin-settings', 'J21', 0] },
};

const recordings = readRecordings();
const variables = new Variables({
  host: 'localhost',
  keys: readKeys(),
  tokenOf: () => Promise.reject(new Error('no example contains a token of an account')),
  codeOf: () => Promise.resolve('492039'),
});
const user = {
  id: SAMPLE_ACCOUNT_ID,
  username: 'bob',
  password: '',
  base_path: '/',
  role: 0,
  disabled: false,
  permission: 0,
  sso_id: '',
  allow_ldap: true,
};
variables.save('g4', SAMPLE_SECRET);
variables.save('bob-i11', user);

function recorded([group, id, index]: Source) {
  const found = recordings.find((each) => each.group === group)?.cases.find((each) => each.id === id);
  const step = found?.steps[index];
  if (!found || !step || !('send' in step)) throw new Error(`${group} ${id} has no request at step ${index}`);
  return { send: (step as SendStep).send, answer: expectedAnswer(found, index) };
}

async function requestOf(source: Source): Promise<Json | undefined> {
  const { json } = recorded(source).send;
  return json && (JSON.parse(sampleText(JSON.stringify(await variables.json(json)))) as Json);
}

function answerOf(source: Source): Json {
  const { answer } = recorded(source);
  if (!answer || !('body' in answer) || answer.body === undefined) throw new Error(`${source.join(' ')} has no body`);
  const text = sampleText(answer.body);
  return text.startsWith('{') ? (JSON.parse(text) as Json) : text;
}

const written = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Json>;
const current: Record<string, unknown> = { ...written };
for (const [id, { success, refusal }] of Object.entries(SOURCES)) {
  current[id] = {
    request: await requestOf((success ?? refusal)!),
    success: success && answerOf(success),
    refusal: refusal && answerOf(refusal),
  };
}
const text = await formatJson(current);
// `WRITE_EXAMPLES=1 npx vitest run --project unit openapi-examples` rewrites the file.
if (process.env['WRITE_EXAMPLES']) writeFileSync(FILE, text);

describe('the examples of the OpenAPI document', () => {
  it('are what the recordings contain', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it.each(Object.entries(SOURCES))('show a success and a refusal of %s', (_, { success, refusal }) => {
    if (success) expect(answerOf(success)).toSatisfy((answer) => answer === 'pong' || codeOf(answer) === 200);
    if (refusal) expect(codeOf(answerOf(refusal))).toBeGreaterThan(200);
  });
});

const codeOf = (answer: Json) => (answer as { code: number }).code;
