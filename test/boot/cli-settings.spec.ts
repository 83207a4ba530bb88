import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { cliScenes, type CliScene } from '../support/cli-scene.js';

const SECRET = 'sso_client_secret';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Opens connections until each thread of the service has surely answered. */
const CONNECTIONS = 12;

describe.each(cliScenes)('%s', (_, open) => {
  let scene: CliScene;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(() => scene?.dispose());

  const run = (...args: readonly string[]) => scene.run('', args);
  const publicTitles = async () => {
    const api = await scene.api();
    const titles = Array.from({ length: CONNECTIONS }, async () => {
      const answer = await api.get('/api/public/settings');
      return answer.data<{ site_title: string }>().site_title;
    });
    return [...new Set(await Promise.all(titles))];
  };

  it('a saved setting is public at once, and a reset restores it', async () => {
    await publicTitles();
    expect(await run('settings', 'set', 'site_title', 'Mine')).toEqual({
      status: 0,
      out: 'site_title\n  from  OpenList\n  to    Mine\nChanged 1 setting\n',
      err: '',
    });
    expect(await publicTitles()).toEqual(['Mine']);
    expect((await run('settings', 'diff')).out).toBe('site_title\n  factory  OpenList\n  value    Mine\n');
    expect((await run('settings', 'reset', '--all')).status).toBe(0);
    expect(await publicTitles()).toEqual(['OpenList']);
    expect(await run('settings', 'diff', '--json')).toEqual({ status: 0, out: '', err: '' });
  });

  it('a secret comes from standard input or a file, never from an argument', async () => {
    const refused = await run('settings', 'set', SECRET, 'hush');
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toContain('a secret cannot be an argument');
    expect(refused.err).not.toContain('hush');
    const file = join(temporaryFolder(), 'value');
    writeFileSync(file, 'hush from a file\n');
    for (const [input, args, value] of [
      ['hush\n', [], 'hush'],
      ['', ['--value-file', file], 'hush from a file'],
    ] as const) {
      const { status, out } = await scene.run(input, ['settings', 'set', SECRET, ...args]);
      expect({ status, out }).toEqual({
        status: 0,
        out: `${SECRET}\n  from  (secret)\n  to    (secret)\nChanged 1 setting\n`,
      });
      expect((await run('settings', 'get', SECRET, '--reveal')).out).toBe(`${value}\n`);
      expect((await run('settings', 'get', SECRET)).out).toBe('(secret)\n');
    }
    expect((await run('events', 'show', 'site-settings')).out + scene.output()).not.toContain('hush');
  });

  it('an export is a file for its owner alone, and its import changes nothing', async () => {
    const file = join(temporaryFolder(), 'settings.json');
    expect(await run('settings', 'export', file, '--with-secrets')).toEqual({ status: 0, out: '', err: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run('settings', 'export', file)).toMatchObject({ status: 1, out: '' });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"key":"token"');
    expect(await run('settings', 'import', file)).toMatchObject({
      status: 0,
      out: 'No value differs. Nothing was changed\n',
    });
    const { out } = await run('settings', 'export');
    expect(await scene.run(out, ['settings', 'import', '--json'])).toEqual({ status: 0, out: '', err: '' });
    const admin = await adminOf(await scene.api());
    expect((await admin.post('/api/admin/setting/save', JSON.parse(text) as object)).code).toBe(200);
    expect((await run('settings', 'import', file)).out).toBe('No value differs. Nothing was changed\n');
  });

  it('of a refused or unreadable import nothing is saved', async () => {
    const wrong = [
      { key: 'site_title', value: 'Mine' },
      { key: 'multipart_chunk_size', value: 'none' },
    ];
    for (const [input, status] of [
      [JSON.stringify(wrong), 1],
      ['[{"key":"site_title"}]', 2],
      ['no JSON', 2],
      [`["${'x'.repeat(1_048_576)}"]`, 2],
    ] as const) {
      const ran = await scene.run(input, ['settings', 'import']);
      expect(ran).toMatchObject({ status, out: '' });
      expect(ran.err).toMatch(/\. Nothing was changed\n$/);
    }
    expect(await publicTitles()).toEqual(['OpenList']);
  });

  it('a new static token is printed, and the old one is refused', async () => {
    const revealed = await run('settings', 'get', 'token', '--reveal');
    const old = (await scene.api()).as(revealed.out.trim());
    expect((await old.get('/api/admin/user/list')).code).toBe(200);
    const { status, out } = await run('settings', 'reset-token');
    expect(status).toBe(0);
    const fresh = (await scene.api()).as(out.trim());
    expect((await old.get('/api/admin/user/list')).outcome).toBe('401 token is invalidated');
    expect((await fresh.get('/api/admin/user/list')).code).toBe(200);
    expect(scene.output()).not.toContain(out.trim());
  });

  /** Returns the answers of the service, which a command may have found stopped. */
  async function outcomesOf(...clients: readonly ApiClient[]): Promise<string[]> {
    await scene.api();
    return Promise.all(clients.map(async (client) => (await client.get('/api/me')).outcome));
  }

  it('an evicted session is refused by the next request', async () => {
    const admin = await adminOf(await scene.api());
    const member = await newMember(admin, 'evicted');
    const other = await (await scene.api()).signedIn('evicted', 'pw-evicted');
    const listed = (await member.get('/api/me/sessions')).data<{ session_id: string; current: boolean }[]>();
    const current = listed.find((each) => each.current)!;
    expect((await run('account', 'sessions', 'evicted', '--json')).out.trim().split('\n')).toHaveLength(2);
    expect((await run('account', 'sessions', 'evicted', '--evict', current.session_id)).status).toBe(0);
    expect(await outcomesOf(member, other)).toEqual(['401 token is invalidated', '200 success']);
    expect((await run('account', 'sessions', 'evicted', '--evict-all')).status).toBe(0);
    expect(await outcomesOf(member, other)).toEqual(['401 token is invalidated', '401 token is invalidated']);
  });
});
