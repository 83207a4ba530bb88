import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { keyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { addKey, servedFileServers, SFTP } from '../support/openssh/file-servers.js';

const { line, fingerprint } = keyLine('laptop');
const desktop = keyLine('desktop');
const { app, admin, servers } = await servedFileServers();
let ann: ApiClient;

beforeAll(async () => {
  await createAccount(admin, 'ann', { permission: SFTP });
  ann = await signedInAs(new ApiClient(app.baseUrl), 'ann');
  await addKey(ann, 'laptop', line);
  await addKey(ann, 'desktop', desktop.line);
});

const keyOfAnn = async () =>
  (await ann.get('/api/me/sshkey/list')).data<{ content: { added_time: string; last_used_time: string }[] }>()
    .content[0]!;

describe('a reported use', () => {
  const report = (fields: object) =>
    servers.post('/ssh-key-uses', {
      id: randomUUID(),
      username: 'ann',
      fingerprint,
      time: new Date().toISOString(),
      ...fields,
    });

  it('becomes the last use of the key, once for each id', async () => {
    const { added_time } = await keyOfAnn();
    const [id, time] = [randomUUID(), new Date().toISOString()];
    const answer = await report({ id, time });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { last_used_time } = await keyOfAnn();
    expect(Date.parse(last_used_time)).toBeGreaterThanOrEqual(Math.floor(Date.parse(added_time) / 1_000) * 1_000);
    expect(last_used_time).not.toBe(added_time);
    expect((await report({ id, time: new Date(Date.now() + 60_000).toISOString() })).status).toBe(204);
    expect((await keyOfAnn()).last_used_time).toBe(last_used_time);
  });

  it('with the id of a report about another account is refused', async () => {
    const id = randomUUID();
    await createAccount(admin, 'cleo', { permission: SFTP });
    await addKey(await signedInAs(new ApiClient(app.baseUrl), 'cleo'), 'laptop', line);
    expect((await report({ id, username: 'cleo' })).status).toBe(204);
    expect((await report({ id, fingerprint: desktop.fingerprint })).status).toBe(409);
  });

  it('is accepted alike for a name, key or time that cannot be, and changes nothing', async () => {
    const { last_used_time } = await keyOfAnn();
    const IMPOSSIBLE = [
      { username: 'nobody' },
      { fingerprint: keyLine('unknown').fingerprint },
      { time: '2020-01-01T00:00:00Z' },
      { time: new Date(Date.now() + 3_600_000).toISOString() },
    ];
    for (const fields of IMPOSSIBLE) expect((await report(fields)).status).toBe(204);
    expect((await keyOfAnn()).last_used_time).toBe(last_used_time);
    await eventually(() => {
      const reasons = logLines(app.output())
        .filter(({ msg }) => msg === 'the use of an SSH key was not recorded')
        .map(({ reason }) => reason);
      expect(reasons).toEqual(['ssh-key-not-found', 'ssh-key-use-untimely', 'ssh-key-use-untimely']);
    });
  });

  it.each([
    [{ id: 'short' }, 'id must have 8 to 64'],
    [{ username: '' }, 'username must be a text of 1 to 4096 letters'],
    [{ fingerprint: 'none' }, 'fingerprint must have the form'],
    [{ time: 'now' }, 'time must be an RFC 3339 time'],
    [{ address: '192.0.2.1' }, 'unknown field "address"'],
  ])('with %j is refused', async (fields, reason) => {
    const answer = await report(fields);
    expect(answer.status).toBe(400);
    expect(answer.outcome).toContain(reason);
  });
});
