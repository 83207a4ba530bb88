import { Agent, METHODS, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminOf, createAccount, newAddress } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { growth, metricsWhen, type Series } from '../support/metrics.js';
import { untilStepHasLeft } from '../support/one-time-code.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { codeNow, enrol } from '../support/two-factor.js';

let app: StandaloneProcess;
let admin: ApiClient;
let managementUrl: string;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  managementUrl = await vi.waitFor(() => app.managementUrl, 5_000);
  admin = await adminOf(new ApiClient(app.baseUrl));
});

afterAll(async () => {
  expect(await app?.stop(), 'clean shutdown').toBe(0);
  await app?.dispose();
});

/** Waits until every request is answered and counted. */
const whenIdle = () => metricsWhen(managementUrl, (series) => series.get('keyfold_http_requests_in_flight') === 0);

const answers = (method: string, route: string, status = 200) =>
  `keyfold_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
const answered = (route: string) => `keyfold_http_request_duration_seconds_count{route="${route}"}`;
const requests = (method: string, route: string, count: number) => ({
  [answers(method, route)]: count,
  [answered(route)]: count,
});
const logins = (factor: string, outcome: string) =>
  `keyfold_login_attempts_total{factor="${factor}",outcome="${outcome}"}`;
const security = (event: string) => `keyfold_security_events_total{event="${event}"}`;
const events = (type: string) => `keyfold_events_appended_total{type="${type}"}`;

describe('the metrics of the service in one process', () => {
  it('report the version and the state of the service', async () => {
    const series = await whenIdle();
    const [info] = [...series.keys()].filter((name) => name.startsWith('keyfold_build_info'));
    expect(info).toMatch(/^keyfold_build_info\{version="\d+\.\d+\.\d+[^"]*",process="standalone"\}$/);
    expect(series.get('keyfold_store_available')).toBe(1);
    expect(series.get('keyfold_projector_slots')).toBe(1);
    expect(series.get('keyfold_projector_parked_streams')).toBe(0);
    const done = await metricsWhen(managementUrl, (each) => each.get('keyfold_projector_pending_commits') === 0);
    expect(done.get('keyfold_projector_oldest_unread_seconds')).toBe(0);
  });

  it('start at zero for everything that may trigger an alert', async () => {
    const series = await whenIdle();
    for (const name of [
      'keyfold_append_conflicts_total',
      'keyfold_append_failures_total',
      'keyfold_password_hashes_refused_total',
      'keyfold_password_hashes_waiting',
      logins('one_time_code', 'throttled'),
      events('TwoFactorLocked'),
      security('authn_login_lock'),
      security('authn_token_forged'),
      answers('GET', '/api/me', 503),
      answers('POST', '/api/auth/login', 500),
      answers('other', 'unknown', 500),
    ])
      expect([name, series.get(name)]).toEqual([name, 0]);
  });

  it('count requests and their outcomes exactly', async () => {
    const before = await whenIdle();
    await createAccount(admin, 'ann');
    const ann = await admin.from(newAddress()).signedIn('ann', 'pw-ann');
    await untilStepHasLeft(10_000);
    const secret = await enrol(ann);
    const { line } = newKeyLine();
    for (const code of [200, 500])
      expect((await ann.post('/api/me/sshkey/add', { title: 'a', key: line })).code).toBe(code);
    for (let n = 0; n < 3; n++) expect((await ann.get('/api/me?n=1')).code).toBe(200);
    const right = codeNow(secret, 1);
    for (const [code, outcome] of [
      ['', 402],
      ['000000', 402],
      [right, 200],
      [right, 402],
    ] as const)
      expect((await ann.from(newAddress()).logIn('ann', 'pw-ann', code)).code).toBe(outcome);
    const guesser = admin.from(newAddress());
    for (let n = 0; n < 6; n++) expect((await guesser.logIn('nobody', `guess ${n}`)).code).toBe(n < 5 ? 401 : 429);
    for (const path of ['/api/nowhere', '/elsewhere', '/%zz']) await admin.get(path);
    await admin.get('/api/auth/login');
    await admin.send({ method: 'HEAD', path: '/ping' });

    const grown = growth(before, await whenIdle());
    expect(grown).toEqual({
      ...requests('POST', '/api/admin/user/create', 1),
      ...requests('GET', '/api/admin/user/list', 1),
      ...requests('POST', '/api/auth/login', 11),
      ...requests('POST', '/api/auth/2fa/generate', 1),
      ...requests('POST', '/api/auth/2fa/verify', 1),
      ...requests('POST', '/api/me/sshkey/add', 2),
      ...requests('GET', '/api/me', 3),
      [answers('GET', 'unknown', 404)]: 2,
      [answers('GET', 'unknown', 400)]: 1,
      [answers('GET', 'unknown', 405)]: 1,
      ...requests('HEAD', '/ping', 1),
      [answered('unknown')]: 4,
      [logins('password', 'accepted')]: 5,
      [logins('password', 'refused')]: 5,
      [logins('password', 'throttled')]: 1,
      [logins('one_time_code', 'missing')]: 1,
      [logins('one_time_code', 'refused')]: 2,
      [logins('one_time_code', 'accepted')]: 1,
      keyfold_password_hash_duration_seconds_count: 11,
      [security('authn_login_fail')]: 7,
      [security('authn_login_fail_max')]: 1,
      [security('user_created')]: 1,
      [security('user_updated')]: 1,
      [events('AccountRegistered')]: 1,
      [events('SessionStarted')]: 2,
      [events('TwoFactorEnrolmentStarted')]: 1,
      [events('TwoFactorEnabled')]: 1,
      [events('SshKeyAdded')]: 1,
      // The last one reuses a code, which the store refuses.
      keyfold_append_duration_seconds_count: 7,
      keyfold_append_batch_commits_count: 7,
    });
  });

  it('get no new series from thousands of paths and methods', async () => {
    const names = (series: Series) => [...series.keys()];
    const methods = METHODS.filter((method) => method !== 'CONNECT');
    await visit(ADDRESSES.flatMap((address) => methods.map((method) => ({ method, path: address(0) }))));
    const before = new Set(names(await whenIdle()));
    await visit(
      range(400).flatMap((round) =>
        ADDRESSES.map((address, kind) => ({ method: methods[(round + kind) % methods.length]!, path: address(round) })),
      ),
    );
    const after = await whenIdle();
    expect(names(after).filter((name) => !before.has(name))).toEqual([]);
    expect(names(after).join('')).not.toContain('marker');
    expect(after.get(answers('GET', 'unknown', 404))).toBeGreaterThan(50);
  });
});

const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

/** Generates paths that were never requested before. */
const ADDRESSES: ((round: number) => string)[] = [
  (round) => `/marker${round}`,
  (round) => `/api/marker${round}`,
  (round) => `/api/me/marker${round}?marker=${round}`,
  (round) => `/api/me?marker=${round}`,
  (round) => `/schemas/marker${round}/1.${round}.json`,
  (round) => `/s3/marker${round}/x`,
  (round) => `/%zzmarker${round}`,
  (round) => `/ping/${'marker/'.repeat(round % 50)}`,
];

/** Sends requests over a few connections and ignores the answers. */
async function visit(calls: readonly Readonly<{ method: string; path: string }>[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const left = calls.values();
  const work = async () => {
    for (const { method, path } of left) await ask(agent, method, path);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  agent.destroy();
}

function ask(agent: Agent, method: string, path: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(app.baseUrl, { agent, method, path }, (answer) => answer.resume().once('close', resolve));
    sent.once('error', () => resolve()).end();
  });
}
