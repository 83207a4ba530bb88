import { afterAll, describe, expect, it } from 'vitest';
import { keyfold } from '../support/cli.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService } from '../support/rabbitmq/other-service.js';
import { StoreInspection } from '../support/scaled-check.js';
import { ScaledService } from '../support/scaled-service.js';
import { cpuOf } from './process-costs.js';
import { describeWorstAnswers, MOST_CPU } from './worst-answers.js';
import { ROUNDS } from './worst-route.js';

const MEBIBYTE = 1024 * 1024;
const ATTEMPTS = 20;
/** More than filling a store takes on a CPU that is shared by dozens of busy programs. */
const FILLING_MS = 600_000;

describe('the worst answers on MongoDB', () => {
  let service: ScaledService;
  let inspection: StoreInspection;
  let brokerUrl: string;

  const { cast } = describeWorstAnswers(
    async () => {
      brokerUrl = (await freshBroker()).url;
      const env = { KEYFOLD_RABBITMQ_URL: brokerUrl };
      await keyfold(env, 'topology', 'apply');
      service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 1, env });
      inspection = await StoreInspection.open(service.uri);
      return {
        baseUrl: service.baseUrl,
        managementUrl: service.gateway(0).managementUrl,
        async append(commits) {
          await Promise.all(commits.map((commit) => inspection.events.append(commit)));
          await inspection.untilProjected(FILLING_MS);
        },
        dispose: () => service.dispose(),
      };
      // Reads cost what the store costs. What else a change costs is the same on the embedded store.
    },
    { isMeasured: (route) => route.startsWith('GET ') },
  );
  afterAll(() => inspection?.close());

  it('include those to questions of other services', async () => {
    const other = await OtherService.connect(brokerUrl);
    try {
      const question = { username: cast().manyName };
      let bytes = 0;
      const look = async () => {
        const answer = (await other.ask('ssh-keys.look-up', question)) as { data: { keys: unknown[] } };
        expect(answer.data.keys.length).toBeGreaterThan(990);
        bytes = Buffer.byteLength(JSON.stringify(answer));
      };
      // For a while, the worker also publishes the events of the set-up. An answer that costs too much fails every attempt.
      let cpu = Infinity;
      for (let attempt = 0; attempt < ATTEMPTS && cpu >= MOST_CPU; attempt++)
        cpu = await cpuOf(service.workers[0]!.managementUrl, ROUNDS, look);
      console.log(`ssh-keys.look-up: ${bytes} bytes, ${Math.round(cpu)} ms of CPU`);
      // Per key: the names of its fields, a number and a fingerprint. The broker accepts 16 MiB.
      expect(bytes).toBeLessThan(MEBIBYTE + 1_000 * 250);
      expect(cpu).toBeLessThan(MOST_CPU);
    } finally {
      await other.close();
    }
  });

  it('come from documents far below the limit of MongoDB', async () => {
    const largest: Record<string, number> = {};
    for (const { name } of await inspection.connection.listCollections()) {
      const [found] = await inspection.connection
        .collection(name)
        .aggregate<{ bytes: number }>([{ $group: { _id: null, bytes: { $max: { $bsonSize: '$$ROOT' } } } }])
        .toArray();
      if (found) largest[name] = found.bytes;
    }
    console.table(largest);
    // A ring, plus 300 bytes for the other fields of each key. BSON does not escape JSON again.
    expect(Math.max(...Object.values(largest))).toBeLessThan(2 * MEBIBYTE);
    expect(Math.max(...Object.values(largest))).toBeGreaterThan(MEBIBYTE / 2);
  });
});
