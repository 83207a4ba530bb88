import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { newMember } from '../../support/accounts.js';
import { logLines, type LogLine } from '../../support/log-lines.js';
import { openListScene } from '../../support/openlist/scene.js';
import { newPrivateCa } from '../../support/private-ca.js';

const ca = newPrivateCa();
afterAll(() => ca.dispose());
const tls = { cert: readFileSync(ca.certificate), key: readFileSync(ca.key) };

const { app, double, admin, api } = await openListScene({ NODE_EXTRA_CA_CERTS: ca.authority }, { tls });

describe('an OpenList with a certificate of a private authority', () => {
  it('works if the service trusts the authority', async () => {
    const ann = await newMember(admin, 'ann');
    expect((await ann.post('/api/fs/list', { path: '/' })).code).not.toBe(503);
    expect(double.requests.forwarded.at(-1)?.user).toMatchObject({ username: 'ann' });
  });

  it('gets no request otherwise, and the log says why and what to do', async () => {
    await app.stop();
    double.requests.forget();
    app.spawn({ NODE_EXTRA_CA_CERTS: undefined });
    await vi.waitFor(async () => expect((await api.get('/robots.txt')).status).toBe(503), 60_000);
    expect(double.requests.received).toEqual([]);
    const advice = ({ msg }: LogLine) => msg.includes('NODE_EXTRA_CA_CERTS');
    const line = await vi.waitUntil(() => logLines(app.output()).find(advice), 5_000);
    expect(line['reason']).toMatch(/unable to verify the first certificate/);
  });
});
