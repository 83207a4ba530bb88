import { expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount, signedInAs } from '../../support/accounts.js';
import { eventually } from '../../support/eventually.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';

type Overview = Readonly<{ logins: readonly Readonly<{ accepted: number; refused: number }>[] }>;

it('each gateway shows the logins of all, and the readers in the workers', async () => {
  const service = await ScaledService.start(freshDatabaseUri(), { gateways: 2, workers: 1 });
  onTestFinished(() => service.dispose());
  const admin = await adminOf(service.api(0));
  await createAccount(admin, 'ann');
  for (const gateway of [0, 1]) {
    await signedInAs(service.api(gateway), 'ann');
    await service.api(gateway).post('/api/auth/login', { username: 'ann', password: 'wrong' });
  }
  for (const gateway of [0, 1]) {
    const client = service.api(gateway).as(admin.token);
    await eventually(async () => {
      const data = (await client.get('/api/admin/overview')).data<Overview>();
      const sum = (name: 'accepted' | 'refused') => data.logins.reduce((total, hour) => total + hour[name], 0);
      expect([sum('accepted'), sum('refused')]).toEqual([3, 2]);
      expect(data).toMatchObject({
        store: 'mongodb',
        parts: [{ name: 'store', state: 'up', detail: '' }],
        readers: [{ name: 'projector', lag: 0, parked: 0 }],
        openlist: null,
      });
    });
    expect((await client.get('/api/admin/parked')).data()).toEqual({ content: [], total: 0, includes_messages: false });
    expect((await client.post('/api/admin/parked/retry', { kind: 'message', id: 'x' })).outcome).toBe(
      '400 this process has no connection to RabbitMQ, use keyfold queue redrive',
    );
  }
});
