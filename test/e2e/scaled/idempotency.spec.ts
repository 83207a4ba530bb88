import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { keyLine } from '../../support/key-line.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';

let service: ScaledService;
let admin: ApiClient;

beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri(), { workers: 0 });
  admin = await adminOf(service.api());
});

afterAll(() => service?.dispose());

/** Sends 100 requests at once under one key, alternating between the gateways. Returns their outcomes. */
async function parallel(client: ApiClient, path: string, body: object): Promise<string[]> {
  const sides = service.urls.map((url) => new ApiClient(url).as(client.token).with({ 'idempotency-key': 'same' }));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => sides[index % sides.length]!.post(path, body)),
  );
  return [...new Set(answers.map(({ outcome }) => outcome))];
}

it('of 100 parallel requests under one key, two gateways carry out one', async () => {
  const account = { username: 'created', password: 'pw' };
  expect(await parallel(admin, '/api/admin/user/create', account)).toEqual(['200 success']);
  const { content } = (await admin.get('/api/admin/user/list')).data<{ content: { username: string }[] }>();
  expect(content.filter(({ username }) => username === 'created')).toHaveLength(1);

  const member = await newMember(admin, 'member');
  const key = { title: 'laptop', key: keyLine('laptop').line };
  expect(await parallel(member, '/api/me/sshkey/add', key)).toEqual(['200 success']);
  expect((await member.get('/api/me/sshkey/list')).data<{ total: number }>().total).toBe(1);
});
