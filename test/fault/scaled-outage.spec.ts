import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import type { Answer, ApiClient } from '../support/api-client.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { ScaledService } from '../support/scaled-service.js';
import { keyLine } from '../support/key-line.js';
import { expectWholeStore } from './whole-store.js';

/** The longest that a request may take while MongoDB is down, and the time in which the service must recover. */
const LONGEST_ANSWER = 15_000;
const RECOVERY = 30_000;

let mongo: ReplicaSet;
beforeAll(async () => {
  mongo = await ReplicaSet.start(1);
});
afterAll(async () => {
  await mongo?.stop();
});

/** `isSilent`: connections stay open but carry nothing. */
type Outage = Readonly<{ isSilent: boolean; begin: () => Promise<void> | void; end: () => Promise<void> | void }>;
/** The two outages that a client can distinguish: connections end and new ones are refused, or nothing answers. */
const outages: Record<string, Outage> = {
  'was killed': { isSilent: false, begin: () => mongo.kill(0), end: () => mongo.restart(0) },
  'hangs with its connections open': { isSilent: true, begin: () => mongo.freeze(0), end: () => mongo.thaw(0) },
};

describe('while MongoDB', () => {
  let service: ScaledService;
  let admin: ApiClient;
  beforeAll(async () => {
    service = await ScaledService.start(mongo.uri('outages'), { gateways: 1, workers: 1 });
    admin = await adminOf(service.api());
  });
  afterAll(() => service?.dispose());

  describe.each(Object.keys(outages))('%s', (name) => {
    const { isSilent, begin, end } = outages[name]!;
    let member: ApiClient;
    let over = true;
    let pids: number[];

    beforeEach(async () => {
      member = await newMember(admin, `member while it ${name} ${++members}`);
      pids = service.processes.map(({ pid }) => pid);
      over = false;
    });
    // A failed test must not affect the others.
    afterEach(async () => {
      if (!over) await end();
    });

    it('requests get 503 with Retry-After in time, health reports the outage, and the service recovers by itself', async () => {
      const inFlight = Array.from({ length: 10 }, (_, index) => timed(() => addKey(member, `in flight ${index}`)));
      await begin();
      await expectAllRefused(member);
      for (const { took, answer } of await Promise.all(inFlight)) {
        expect(took).toBeLessThan(LONGEST_ANSWER);
        expect([200, 503]).toContain(answer.status);
      }
      // The next requests use the connections that the outage left open.
      if (isSilent) await expectAllRefused(member);
      await expectOutageReported();

      await end();
      over = true;
      await expect.poll(async () => (await member.get('/api/me')).status, { timeout: RECOVERY }).toBe(200);
      await expect.poll(async () => (await addKey(member, 'afterwards')).status, { timeout: RECOVERY }).toBe(200);
      await expect.poll(() => readyCodes(), { timeout: RECOVERY }).toEqual([200, 200]);
      expect((await admin.logIn('admin', 'Adm1n-pass')).code).toBe(200);
      expect(service.processes.map(({ pid }) => pid)).toEqual(pids);
      expect(service.processes.map(({ isRunning }) => isRunning)).toEqual([true, true]);
      // No write is incomplete, whatever its client was answered.
      await expectWholeStore(mongo.uri('outages'));
    });
  });

  /** Sends reads and commands in parallel. */
  async function expectAllRefused(member: ApiClient): Promise<void> {
    const requests: Record<string, () => Promise<Answer>> = {
      me: () => member.get('/api/me'),
      'the list of keys': () => member.get('/api/me/sshkey/list'),
      'the list of accounts': () => admin.get('/api/admin/user/list'),
      'a new key': () => addKey(member, 'meanwhile'),
      'a new account': () => admin.post('/api/admin/user/create', { username: 'meanwhile', password: 'meanwhile' }),
      'a login': () => service.api().logIn('admin', 'Adm1n-pass'),
      'a logout': () => member.as(admin.token).get('/api/auth/logout'),
    };
    const answers = await Promise.all(
      Object.entries(requests).map(async ([name, send]) => ({ name, ...(await timed(send)) })),
    );
    for (const { name, took, answer } of answers) {
      expect(answer.status, `${name}: ${answer.text}`).toBe(503);
      expect(Number(answer.headers['retry-after']), name).toBeGreaterThan(0);
      expect(answer.code, name).toBe(503);
      expect(took, name).toBeLessThan(LONGEST_ANSWER);
    }
  }

  async function expectOutageReported(): Promise<void> {
    expect((await timed(() => service.api().get('/ping'))).answer.text).toBe('pong');
    for (const each of service.processes) {
      expect(await each.liveness(), each.name).toBe(200);
      const readiness = await each.readiness();
      expect(readiness, each.name).toMatchObject({ code: 503, status: 'not ready' });
      expect(readiness?.checks['store'], each.name).toMatch(/MongoDB is not available/);
    }
  }

  const readyCodes = () => Promise.all(service.processes.map(async (each) => (await each.readiness())?.code));
});

let members = 0;
let keys = 0;
const addKey = (member: ApiClient, title: string) =>
  member.post('/api/me/sshkey/add', { title: `${title} ${++keys}`, key: keyLine(`${keys}`).line });

async function timed(send: () => Promise<Answer>): Promise<{ took: number; answer: Answer }> {
  const started = performance.now();
  const answer = await send();
  return { took: performance.now() - started, answer };
}
