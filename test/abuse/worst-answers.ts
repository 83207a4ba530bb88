import { SECRETS_PER_ACCOUNT } from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountNamed, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { operationsOf, type ApiDocument } from '../support/api-document.js';
import { SEED } from '../support/test-length.js';
import { enrol } from '../support/two-factor.js';
import { cpuOf } from './process-costs.js';
import {
  accessTokensCommit,
  appPasswordsCommit,
  accountCommit,
  fullProfile,
  ringCommit,
  ringOfLongComments,
  ringOfManyKeys,
  sessionCommit,
} from './worst-commits.js';
import { worstRequests, type Cast } from './worst-requests.js';
import { ROUNDS } from './worst-route.js';
import { settingsOf } from './worst-setting-requests.js';
import { worstTexts } from './worst-texts.js';

/**
 * Limit for the CPU milliseconds of the worst answer. A shared, slow or hot CPU needs several times as long as an idle
 * one. The worst figures on two very busy CPUs are less than half of this limit (docs/run/limits.md).
 */
export const MOST_CPU = 400;
const MEBIBYTE = 1024 * 1024;
/** Limit for the bytes of /metrics, most of which count the requests of a route. */
const METRICS_PER_ROUTE = 2_500;
/** Enough of the largest accounts for more than one page. */
const FIRST_ACCOUNT = 1_000_000;
const ACCOUNTS = 450;
/** More sessions of one account than a list shows. */
const SESSIONS = 1_200;

/** A running service whose store the test fills. */
export type Stage = Readonly<{
  baseUrl: string;
  /** The management address of the process that answers requests. */
  managementUrl: string;
  /** Appends commits like other processes, and resolves once lists show them. */
  append(commits: readonly NewCommit[]): Promise<void>;
  dispose(): Promise<void>;
}>;

/**
 * Fills a service to the limits of everything that clients can write, and measures the worst answers of the routes.
 * Besides the two members, `rings` accounts have a full key ring.
 */
export function describeWorstAnswers(
  open: () => Promise<Stage>,
  { rings = 0, isMeasured = () => true }: { rings?: number; isMeasured?: (route: string) => boolean },
): { cast(): Cast } {
  console.log(`texts of seed ${SEED}`);
  let stage: Stage;
  let cast: Cast;

  beforeAll(async () => {
    stage = await open();
    cast = await filled(stage, rings);
  });
  afterAll(() => stage?.dispose());

  it('stay within the limits of bytes and CPU', async () => {
    const routes = worstRequests(cast);
    const document = (await cast.open.get('/openapi.json')).json as ApiDocument;
    expect(Object.keys(routes).toSorted()).toEqual(
      operationsOf(document)
        .map(([route]) => route)
        .toSorted(),
    );
    const measured: { route: string; bytes: number; most: number; cpu: number }[] = [];
    for (const [route, { bytes: most, requests, refused = 200 }] of Object.entries(routes)) {
      if (!isMeasured(route)) continue;
      const figures = { route, bytes: 0, most, cpu: 0 };
      for (const [index, request] of requests.entries()) {
        const cpu = await cpuOf(stage.managementUrl, ROUNDS, async (round) => {
          const answer = await request(round);
          const { text, status } = answer;
          expect(status, `${route}: ${text.slice(0, 200)}`).toBe(200);
          if (index === 0 && answer.hasEnvelope) expect(answer.code, `${route}: ${text.slice(0, 200)}`).toBe(refused);
          figures.bytes = Math.max(figures.bytes, Buffer.byteLength(text));
        });
        figures.cpu = Math.max(figures.cpu, Math.round(cpu));
      }
      measured.push(figures);
    }
    console.table(measured);
    for (const { route, bytes, most, cpu } of measured) {
      expect(bytes, route).toBeLessThanOrEqual(most);
      expect(cpu, route).toBeLessThan(MOST_CPU);
    }
  });

  it('are as large as the limits allow', async () => {
    const list = await cast.admin.get('/api/admin/user/list');
    const { content, total } = list.data<{ content: object[]; total: number }>();
    expect(total).toBeGreaterThanOrEqual(ACCOUNTS);
    expect(Buffer.byteLength(list.text)).toBeGreaterThan(0.9 * 2 * MEBIBYTE);
    expect(content.length).toBeGreaterThanOrEqual(200);
    expect((await cast.busy.get('/api/me/sessions')).data<object[]>()).toHaveLength(1_000);
    for (const [list, ownList] of [
      ['/api/admin/token/list', '/api/me/tokens'],
      ['/api/admin/app_password/list', '/api/me/app_passwords'],
    ] as const) {
      expect(Buffer.byteLength((await cast.admin.get(list)).text), list).toBeGreaterThan(0.6 * 2 * MEBIBYTE);
      // Measured requests revoke one in each round.
      const { length } = (await cast.many.get(ownList)).data<object[]>();
      expect(length, ownList).toBeGreaterThanOrEqual(SECRETS_PER_ACCOUNT - ROUNDS);
    }
    const second = await cast.admin.get('/api/admin/user/list?page=2&per_page=200');
    expect(second.data<{ content: object[] }>().content).toHaveLength(200);
  });

  it('include those of /metrics', async () => {
    const { length } = await (await fetch(`${stage.managementUrl}/metrics`)).text();
    console.log(`/metrics: ${length} bytes`);
    expect(length).toBeLessThan(METRICS_PER_ROUTE * Object.keys(worstRequests(cast)).length);
    expect(await cpuOf(stage.managementUrl, ROUNDS, () => fetch(`${stage.managementUrl}/metrics`))).toBeLessThan(
      MOST_CPU,
    );
  });

  return { cast: () => cast };
}

async function filled(stage: Stage, rings: number): Promise<Cast> {
  const texts = worstTexts(SEED);
  const open = new ApiClient(stage.baseUrl);
  const admin = await adminOf(open);
  const [manyName, longName] = [await newAccount('many '), await newAccount('long ')];
  const busyName = await newAccount('busy ');
  const doomedNames = [await newAccount('doomed 0 '), await newAccount('doomed 1 '), await newAccount('doomed 2 ')];
  const doomedIds: number[] = [];
  for (const name of doomedNames) doomedIds.push((await accountNamed(admin, name)).id);
  const { id: busyId } = await accountNamed(admin, busyName);
  const [{ id: manyId }, { id: longId }] = [await accountNamed(admin, manyName), await accountNamed(admin, longName)];
  (await admin.post('/api/admin/setting/save', settingsOf(texts, 'first'))).data();
  const full = ringOfManyKeys(texts);
  const long = ringOfLongComments(texts);
  const ids = Array.from({ length: ACCOUNTS }, (_, n) => FIRST_ACCOUNT + n);
  const ringIds = ids.slice(ids.length - rings);
  await stage.append([
    ringCommit(manyId, full),
    ringCommit(longId, long),
    accessTokensCommit(manyId, texts),
    appPasswordsCommit(manyId, texts),
    ...ids.flatMap((id) => [accountCommit(id, texts), accessTokensCommit(id, texts), appPasswordsCommit(id, texts)]),
    ...doomedIds.flatMap((id) => [accessTokensCommit(id, texts), appPasswordsCommit(id, texts)]),
    ...ringIds.map((id) => ringCommit(id, full)),
    ...Array.from({ length: SESSIONS }, (_, n) => sessionCommit(busyId, n)),
  ]);
  const logIn = (round: number) =>
    open
      .from(`198.18.0.${round}`)
      .with({ 'user-agent': 'x'.repeat(30_000) })
      .signedIn(manyName, 'pw');
  const [many, ...leaving] = [await logIn(0), await logIn(1), await logIn(2), await logIn(3)];
  const busy = await open.from('198.18.1.1').signedIn(busyName, 'pw');
  await enrol(busy);
  const doomed: ApiClient[] = [];
  for (const [n, name] of doomedNames.entries()) doomed.push(await open.from(`198.18.2.${n}`).signedIn(name, 'pw'));
  const names = { many, manyId, manyName, longId, busy, doomed };
  return { open, admin, ...names, leaving, accountIds: ids, ringIds, shared: full.at(-1)!.key, texts };

  async function newAccount(start: string): Promise<string> {
    const profile = fullProfile(start, texts);
    (await admin.post('/api/admin/user/create', { ...profile, password: 'pw', role: 0, permission: 1024 })).data();
    return profile.username;
  }
}
