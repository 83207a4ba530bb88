import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyLine } from '../support/key-line.js';
import { lastingPort } from '../support/lasting-port.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { addKey, SFTP } from '../support/openssh/file-servers.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { ScaledService } from '../support/scaled-service.js';

/** The longest that a login should wait for an answer; twice the bound of the port, because the machine may be busy. */
const LONGEST_ANSWER = 4_000;

let mongo: ReplicaSet;
let service: ScaledService;
let servers: ApiClient;

beforeAll(async () => {
  mongo = await ReplicaSet.start(1);
  const port = await lastingPort();
  const env = { KEYFOLD_SERVERS_PORT: String(port) };
  service = await ScaledService.start(mongo.uri('file-servers'), { gateways: 1, workers: 0, env });
  const api = service.api();
  const admin = await adminOf(api);
  await createAccount(admin, 'ann', { permission: SFTP });
  await addKey(await signedInAs(api, 'ann'), 'laptop', keyLine('laptop').line);
  servers = new ApiClient(`http://127.0.0.1:${port}`).as(`Bearer ${await lookUpToken(admin)}`);
});
afterAll(async () => {
  await service?.dispose();
  await mongo?.stop();
});

const ask = () => servers.get('/authorized_keys?username=ann');

type Step = () => Promise<void> | void;
const OUTAGES: readonly (readonly [outage: string, begin: Step, end: Step])[] = [
  ['hangs', () => mongo.freeze(0), () => mongo.thaw(0)],
  ['was killed', () => mongo.kill(0), () => mongo.restart(0)],
];

it.each(OUTAGES)(
  'while MongoDB %s, a file server gets 503 in time, and its keys once it is back',
  async (_outage, begin, end) => {
    const known = await ask();
    expect([known.status, known.text]).toEqual([200, expect.stringContaining('ssh-ed25519 ')]);
    await begin();
    try {
      for (let count = 0; count < 2; count++) {
        const since = performance.now();
        const away = await ask();
        expect([away.status, Number(away.headers['retry-after'])]).toEqual([503, expect.any(Number)]);
        expect(performance.now() - since).toBeLessThan(LONGEST_ANSWER);
      }
    } finally {
      await end();
    }
    await expect.poll(async () => (await ask()).text, { timeout: 30_000 }).toBe(known.text);
  },
);
