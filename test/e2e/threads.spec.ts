import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { metricsWhen, readMetrics } from '../support/metrics.js';
import { StandaloneProcess, type StartFailure } from '../support/standalone-process.js';
import { storedEvents } from '../support/stored-data.js';
import { codeNow, enrol } from '../support/two-factor.js';

const preload = pathToFileURL(resolve(import.meta.dirname, '../support/thread-crash-preload.ts')).href;
const folder = mkdtempSync(join(tmpdir(), 'threads-'));
const crashFile = join(folder, 'crash');
let app: StandaloneProcess;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start({
    KEYFOLD_THREADS: '4',
    NODE_OPTIONS: `--import=${preload}`,
    CRASH_FILE: crashFile,
  });
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
});

afterAll(async () => {
  await app?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const STOPPED = 'a serving thread stopped and is being replaced';
/** Returns the reasons why threads stopped, from the log. */
const reasonsOfStops = () =>
  logLines(app.output())
    .filter(({ msg }) => msg === STOPPED)
    .map(({ err }) => (err as Error).message);
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('several threads', () => {
  it('start one session when a hundred logins use one code at the same time', async () => {
    const member = await newMember(admin, 'two-factor');
    const secret = await enrol(member);
    // The step of the enrolment is spent.
    const code = codeNow(secret, 1);
    const login = { username: 'two-factor', password: 'pw-two-factor', otp_code: code };
    const sessions = () => storedEvents(app.dataDir, 'SessionStarted').length;
    const before = sessions();
    // From sources in different networks, which do not queue for each other. Each has its own connection, so every thread gets some.
    const logIn = (n: number) => api.from(`100.65.${n}.1`).post('/api/auth/login', login);
    const answers = await Promise.all(times(100).map(logIn));
    expect(answers.filter(({ code: status }) => status === 200)).toHaveLength(1);
    expect(sessions()).toBe(before + 1);
  });

  it('check at most five of a hundred wrong passwords from one source', async () => {
    await createAccount(admin, 'attacked');
    const login = { username: 'attacked', password: 'wrong' };
    const from = api.from('198.51.100.7');
    const answers = await Promise.all(times(100).map(() => from.post('/api/auth/login', login)));
    expect(answers.filter(({ code }) => code === 400).length).toBeLessThanOrEqual(5);
    expect(answers.filter(({ code }) => code === 200)).toEqual([]);
  });

  it('add keys to one account in parallel without conflicts', async () => {
    const member = await newMember(admin, 'busy');
    const add = (n: number) => member.post('/api/me/sshkey/add', { title: `key ${n}`, key: newKeyLine().line });
    const answers = await Promise.all(times(200).map(add));
    expect(answers.map(({ code }) => code)).toEqual(times(200).map(() => 200));
    expect((await readMetrics(app.managementUrl)).get('keyfold_append_conflicts_total')).toBe(0);
  });

  it('report exact sums in the metrics of the process', async () => {
    const series = 'keyfold_http_requests_total{method="GET",route="/ping",status="200"}';
    const before = (await readMetrics(app.managementUrl)).get(series) ?? 0;
    await Promise.all(times(300).map(() => fetch(`${app.baseUrl}/ping`).then((answer) => answer.text())));
    const after = await metricsWhen(app.managementUrl, (all) => (all.get(series) ?? 0) >= before + 300);
    expect(after.get(series)).toBe(before + 300);
    expect(after.get('keyfold_http_requests_in_flight')).toBe(0);
  });

  it('write at most five security events of a network to the log of the process', async () => {
    /** Returns the maximum number of lines for one event after 40 refused logins from a network. */
    const linesAfterLogins = async (net: string) => {
      const login = { username: 'x', password: 'y' };
      await Promise.all(times(40).map((n) => api.from(`${net}.${n}`).post('/api/auth/login', login)));
      const lines = () =>
        logLines(app.output()).filter(
          ({ network, event }) => network === `${net}.0/24` && String(event).startsWith('authn_login_fail'),
        );
      await expect.poll(lines, { timeout: 30_000 }).not.toEqual([]);
      const byEvent = [...Map.groupBy(lines(), ({ event }) => event).values()];
      return Math.max(...byEvent.map(({ length }) => length));
    };
    // The log counts by the minute, which may end during the first logins, but not again during the next ones.
    if ((await linesAfterLogins('203.0.113')) > 5) expect(await linesAfterLogins('203.0.114')).toBeLessThanOrEqual(5);
  });

  it('share one queue of password hashes', async () => {
    const logIn = (n: number) =>
      api.from(`100.64.${n}.1`).post('/api/auth/login', { username: `u${n}`, password: 'y' });
    const logins = Promise.all(times(30).map(logIn));
    const running: number[] = [];
    for (let isOver = false; !isOver; void logins.then(() => (isOver = true))) {
      const metrics = await readMetrics(app.managementUrl);
      running.push(metrics.get('keyfold_password_hashes_running') ?? 0);
    }
    expect(Math.max(...running)).toBe(Math.max(1, availableParallelism() - 1));
  });
});

describe('a thread that crashes', () => {
  it('is replaced, its reason is logged, and no acknowledged key is lost', async () => {
    const member = await newMember(admin, 'collector');
    const acknowledged: string[] = [];
    const add = async (worker: number) => {
      for (const round of times(20)) {
        const title = `key ${worker}-${round}`;
        const answer = await member
          .post('/api/me/sshkey/add', { title, key: newKeyLine().line })
          .catch(() => undefined);
        if (answer?.code === 200) acknowledged.push(title);
      }
    };
    const adding = Promise.all(times(8).map(add));
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(10);
    writeFileSync(crashFile, '');
    await adding;
    await expect.poll(() => existsSync(crashFile), { timeout: 30_000 }).toBe(false);
    await expect.poll(reasonsOfStops, { timeout: 30_000 }).toContain('crashed by a test');
    const { content } = (await member.get('/api/me/sshkey/list?per_page=1000')).data<{
      content: { title: string }[];
    }>();
    const titles = new Set(content.map(({ title }) => title));
    expect(acknowledged.filter((title) => !titles.has(title))).toEqual([]);
    await expect
      .poll(async () => (await fetch(`${app.managementUrl}/health/ready`)).json(), { timeout: 15_000 })
      .toMatchObject({ status: 'ready', checks: { threads: 'ok' } });
  });
});

it('counters do not decrease when a thread crashes', async () => {
  const series = 'keyfold_http_requests_total{method="GET",route="/ping",status="200"}';
  const readPings = async () => (await readMetrics(app.managementUrl)).get(series) ?? 0;
  await Promise.all(times(100).map(() => fetch(`${app.baseUrl}/ping`).then((answer) => answer.text())));
  const before = await readPings();
  const stops = reasonsOfStops().length;
  writeFileSync(crashFile, '');
  await expect.poll(() => reasonsOfStops().length, { timeout: 30_000 }).toBeGreaterThan(stops);
  expect(await readPings()).toBeGreaterThanOrEqual(before);
});

it('a process whose threads cannot start reports the reason and ends', async () => {
  const failing = StandaloneProcess.start({
    KEYFOLD_THREADS: '3',
    NODE_OPTIONS: `--import=${preload}`,
    CRASH_AT_START: '1',
  });
  // The first thread may answer for a moment before another one fails.
  const output = await failing.then(
    async (started) => {
      expect(await started.exit()).not.toBe(0);
      await started.dispose();
      return started.output();
    },
    (failure: StartFailure) => failure.message,
  );
  expect(output).toMatch(/cannot start: Error: crashed at the start by a test/);
});

it('a thread that hangs does not keep the process from shutting down', async () => {
  const hanging = await StandaloneProcess.start({
    KEYFOLD_THREADS: '2',
    NODE_OPTIONS: `--import=${preload}`,
    HANG_FILE: join(folder, 'hang'),
  });
  writeFileSync(join(folder, 'hang'), '');
  await expect.poll(() => existsSync(join(folder, 'hang')), { timeout: 30_000 }).toBe(false);
  expect(await hanging.stop()).toBe(0);
  await hanging.dispose();
});

it('a second process cannot share the port', async () => {
  const second = StandaloneProcess.start({ KEYFOLD_THREADS: '2', KEYFOLD_PORT: String(app.port) });
  await expect(second).rejects.toThrow(/the port is already in use. Stop the other program, or set KEYFOLD_PORT/);
});

it('a shutdown ends all threads with status 0', async () => {
  expect(await app.stop()).toBe(0);
});
