import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, type CliResult } from '../support/cli.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

interface Scene {
  api: ApiClient;
  run(...args: readonly string[]): Promise<CliResult>;
  dispose(): Promise<void>;
}

async function sqlite(): Promise<Scene> {
  const app = await StandaloneProcess.start();
  return {
    api: new ApiClient(app.baseUrl),
    run: (...args) => keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, ...args),
    dispose: () => app.dispose(),
  };
}

async function mongodb(): Promise<Scene> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  return {
    api: service.api(),
    run: (...args) => keyfold({ KEYFOLD_MONGODB_URI: uri }, ...args),
    dispose: () => service.dispose(),
  };
}

describe.each([
  ['beside the process that owns the data folder', sqlite],
  ['on MongoDB', mongodb],
])('%s', (_, open) => {
  let scene: Scene;
  let admin: ApiClient;
  beforeAll(async () => {
    scene = await open();
    admin = await adminOf(scene.api);
  });
  afterAll(() => scene?.dispose());

  it('the tokens of an account are shown without secrets, also as JSON', async () => {
    const member = await newMember(admin, 'holder');
    const none = await scene.run('account', 'tokens', 'holder');
    expect(none).toEqual({ status: 0, out: '0 access tokens of "holder"\n', err: '' });
    const expires = '2027-01-31T12:00:00.000Z';
    const one = await newAccessToken(member, ['profile:read', 'keys:manage'], { name: 'back\nup', expires });
    const { id, created } = await newAccessToken(member, ['keys:manage'], { name: 'deploy' });
    const { out } = await scene.run('account', 'tokens', 'holder');
    expect(out).toBe(
      `${one.id}  back\\nup
  scopes     profile:read, keys:manage
  created    ${one.created}
  expires    ${expires}
  last used  never
${id}  deploy
  scopes     keys:manage
  created    ${created}
  expires    never
  last used  never
2 access tokens of "holder"
`,
    );
    const json = await scene.run('account', 'tokens', 'holder', '--json');
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      {
        id: one.id,
        name: 'back\nup',
        scopes: ['profile:read', 'keys:manage'],
        created: one.created,
        expires,
        lastUsed: null,
        expired: false,
      },
      { id, name: 'deploy', scopes: ['keys:manage'], created, expires: null, lastUsed: null, expired: false },
    ]);
  });

  it('a revoked token is refused by the next request, and the history names the operator', async () => {
    const member = await newMember(admin, 'revoked');
    const { id, client, token } = await newAccessToken(member, ['profile:read']);
    expect((await client.get('/api/me')).code).toBe(200);
    const done = { status: 0, out: `revoked the access token ${id} of "revoked"\n`, err: '' };
    expect(await scene.run('account', 'tokens', 'revoked', '--revoke', String(id))).toEqual(done);
    expect((await client.get('/api/me')).outcome).toBe('401 token is invalidated');
    const { id: accountId } = await accountNamed(admin, 'revoked');
    for (const json of [[], ['--json']]) {
      const { out } = await scene.run('events', 'show', `access-tokens-${accountId}`, ...json);
      expect(out).toContain('operator');
      expect(out).toMatch(/hash"?: ?"hidden"/);
      expect(out).not.toContain(token.slice(12, 39));
    }
  });

  it('unknown accounts, tokens of others and texts that are no ids change nothing', async () => {
    const [owner] = [await newMember(admin, 'owner'), await newMember(admin, 'other')];
    const { id, client } = await newAccessToken(owner, ['profile:read']);
    const err = 'the account has no such access token. Nothing was changed\n';
    for (const each of [id, 1, Number.MAX_SAFE_INTEGER]) {
      const result = await scene.run('account', 'tokens', 'other', '--revoke', String(each));
      expect(result).toEqual({ status: 1, out: '', err });
    }
    expect(await scene.run('account', 'tokens', 'nobody')).toEqual({
      status: 1,
      out: '',
      err: 'no account "nobody". Nothing was changed\n',
    });
    for (const text of ['x', '0', '-1', '1e3', '9'.repeat(17)]) {
      const { status, err } = await scene.run('account', 'tokens', 'owner', `--revoke=${text}`);
      expect(status).toBe(2);
      expect(err).toContain('Expected a positive integer.');
    }
    expect((await client.get('/api/me')).code).toBe(200);
  });
});
