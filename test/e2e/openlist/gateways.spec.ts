import { afterAll, expect, it } from 'vitest';
import { adminOf, createAccount, signedInAs } from '../../support/accounts.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { OpenListDouble } from '../../support/openlist/openlist-double.js';
import { ScaledService } from '../../support/scaled-service.js';

const ROUNDS = 20;

const double = await OpenListDouble.start();
afterAll(() => double[Symbol.asyncDispose]());
const service = await ScaledService.start(freshDatabaseUri(), {
  workers: 0,
  env: { KEYFOLD_OPENLIST_URL: double.url, KEYFOLD_OPENLIST_TOKEN: double.staticToken },
});
afterAll(() => service.dispose());

it('a request through one gateway has the rights that another one gave just before', async () => {
  const admin = await adminOf(service.api(0));
  const { id } = await createAccount(admin, 'ann', { base_path: '/0' });
  const ann = await signedInAs(service.api(1), 'ann');
  for (let round = 1; round <= ROUNDS; round++) {
    const change = { id, username: 'ann', base_path: `/${round}`, role: 0, permission: round, disabled: false };
    (await admin.post('/api/admin/user/update', change)).data();
    expect((await ann.post('/api/fs/list', { path: '/' })).code).not.toBe(401);
    const { user } = double.requests.forwarded.findLast(({ url }) => url === '/api/fs/list')!;
    expect(user).toMatchObject({ base_path: `/${round}`, permission: round });
  }
  expect(double.tokens.wrongLogins).toBe(0);
});
