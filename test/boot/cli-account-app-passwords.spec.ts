import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { appPasswordsOf, newAppPassword } from '../support/app-passwords.js';
import type { ApiClient } from '../support/api-client.js';
import { cliScenes, type CliScene } from '../support/cli-scene.js';

describe.each(cliScenes)('%s', (_, open) => {
  let scene: CliScene;
  let admin: ApiClient;
  beforeAll(async () => {
    scene = await open();
    admin = await adminOf(await scene.api());
  });
  afterAll(() => scene?.dispose());

  const run = (...args: readonly string[]) => scene.run('', args);
  const member = async (name: string) => {
    await scene.api();
    return newMember(admin, name);
  };
  const listed = async (owner: ApiClient) => {
    await scene.api();
    return appPasswordsOf(owner);
  };

  it('the app passwords of an account are shown without secrets, also as JSON', async () => {
    const owner = await member('holder');
    const expires = '2027-01-31T12:00:00.000Z';
    const one = await newAppPassword(owner, { name: 'pho\nne', protocol: 'webdav', expires });
    const { id, created } = await newAppPassword(owner, { name: 'tablet' });
    const { out } = await run('account', 'app-passwords', 'holder');
    expect(out).toBe(
      `${one.id}  pho\\nne
  protocol   webdav
  created    ${one.created}
  expires    ${expires}
  last used  never
${id}  tablet
  protocol   any
  created    ${created}
  expires    never
  last used  never
2 app passwords of "holder"
`,
    );
    const none = await run('account', 'app-passwords', 'admin');
    expect(none).toEqual({ status: 0, out: '0 app passwords of "admin"\n', err: '' });
    const json = await run('account', 'app-passwords', 'holder', '--json');
    const shared = { lastUsed: null, expired: false };
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { id: one.id, name: 'pho\nne', protocol: 'webdav', created: one.created, expires, ...shared },
      { id, name: 'tablet', protocol: 'any', created, expires: null, ...shared },
    ]);
  });

  it('a revoked app password is gone, and the history names the operator', async () => {
    const owner = await member('revoked');
    const { id, password } = await newAppPassword(owner);
    const { id: accountId } = await accountNamed(admin, 'revoked');
    const done = { status: 0, out: `revoked the app password ${id} of "revoked"\n`, err: '' };
    expect(await run('account', 'app-passwords', 'revoked', '--revoke', String(id))).toEqual(done);
    expect(await listed(owner)).toEqual([]);
    for (const json of [[], ['--json']]) {
      const { out } = await run('events', 'show', `app-passwords-${accountId}`, ...json);
      expect(out).toContain('operator');
      expect(out).toMatch(/hash"?: ?"hidden"/);
      expect(out).not.toContain(password.replaceAll('-', ''));
    }
  });

  it('unknown accounts, app passwords of others and texts that are no ids change nothing', async () => {
    const [owner] = [await member('owner'), await member('other')];
    const { id } = await newAppPassword(owner);
    const err = 'the account has no such app password. Nothing was changed\n';
    for (const each of [id, 1, Number.MAX_SAFE_INTEGER]) {
      const result = await run('account', 'app-passwords', 'other', '--revoke', String(each));
      expect(result).toEqual({ status: 1, out: '', err });
    }
    const nobody = await run('account', 'app-passwords', 'nobody');
    expect(nobody).toEqual({ status: 1, out: '', err: 'no account "nobody". Nothing was changed\n' });
    const { status, err: usage } = await run('account', 'app-passwords', 'owner', '--revoke=1e3');
    expect(status).toBe(2);
    expect(usage).toContain('Expected a positive integer.');
    expect(await listed(owner)).toHaveLength(1);
  });
});
