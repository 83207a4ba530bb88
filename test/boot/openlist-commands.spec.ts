import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { OpenListDouble } from '../support/openlist/openlist-double.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { onTerminal } from '../support/terminal.js';

type Store = Readonly<{ env: ProcessEnv; dispose(): Promise<void> }>;
const NAMES = ['ann', 'bea'];

async function sqlite(): Promise<Store> {
  const app = await StandaloneProcess.start();
  const admin = await adminOf(new ApiClient(app.baseUrl));
  for (const name of NAMES) await createAccount(admin, name);
  await app.stop();
  return { env: { KEYFOLD_DATA_DIR: app.dataDir }, dispose: () => app.dispose() };
}

async function mongodb(): Promise<Store> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  const admin = await adminOf(service.api());
  for (const name of NAMES) await createAccount(admin, name);
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  return { env: { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY }, dispose: () => service.dispose() };
}

describe.each([
  ['the embedded store', sqlite],
  ['MongoDB', mongodb],
])('the commands on %s', (_, open) => {
  let openlist: OpenListDouble;
  let store: Store;
  let env: ProcessEnv;
  beforeAll(async () => {
    openlist = await OpenListDouble.start();
    store = await open();
    env = { ...store.env, KEYFOLD_OPENLIST_URL: openlist.url, KEYFOLD_OPENLIST_TOKEN: openlist.staticToken };
  });
  afterAll(async () => {
    await store?.dispose();
    await openlist?.[Symbol.asyncDispose]();
  });

  it('adopt users once that is confirmed, make the other mirrors, and find no difference then', async () => {
    const ann = openlist.users.addForeign('ann');
    const refused = await keyfold(env, 'openlist', 'adopt', '--all');
    expect(refused).toMatchObject({
      status: 2,
      err: expect.stringContaining('without a terminal, --yes must confirm the adoption. Nothing was changed\n'),
    });
    expect(refused.out).toMatch(/^ +user {2}name in OpenList .*\n +3 {2}ann +\d+ {2}ann\n$/);
    const terminal = onTerminal(env, 'cli', 'openlist', 'adopt', 'ann');
    onTestFinished(() => terminal.close());
    await terminal.untilShown('Type "yes": ');
    terminal.press('no\r');
    expect(await terminal.ended).toBe(2);
    expect(openlist.users.named('ann')).toEqual(ann);

    expect(await keyfold(env, 'openlist', 'adopt', '--all', '--yes')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/\nadopted 1 user\n$/),
    });
    expect(await keyfold(env, 'openlist', 'rebuild')).toMatchObject({ status: 0, out: 'made 2 mirrors, deleted 0\n' });
    expect(await keyfold(env, 'openlist', 'verify')).toMatchObject({
      status: 0,
      out: '2 mirrors with 0 SSH keys: no differences\n',
    });
    const { status, out } = await keyfold(env, 'openlist', 'status');
    expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/ accounts with a mirror +2\n/) });
    expect(openlist.users.named('ann')!.id).toBe(ann.id);
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('name a setting that is missing', async () => {
    const { KEYFOLD_OPENLIST_TOKEN: __, ...incomplete } = env;
    expect(await keyfold(incomplete, 'openlist', 'verify')).toMatchObject({
      status: 78,
      err: expect.stringContaining('KEYFOLD_OPENLIST_TOKEN: is required with KEYFOLD_OPENLIST_URL'),
    });
  });
});

describe('beside a running service', () => {
  it('an adoption frees the accounts that wait for the name of a user, and no login is wrong after a rebuild', async () => {
    const openlist = await OpenListDouble.start();
    onTestFinished(() => openlist[Symbol.asyncDispose]());
    const ann = openlist.users.addForeign('ann');
    const token = join(mkdtempSync(join(tmpdir(), 'keyfold-')), 'token');
    onTestFinished(() => rmSync(dirname(token), { recursive: true }));
    writeFileSync(token, `${openlist.staticToken}\n`);
    const app = await StandaloneProcess.start({
      KEYFOLD_OPENLIST_URL: openlist.url,
      KEYFOLD_OPENLIST_TOKEN_FILE: token,
    });
    onTestFinished(() => app.dispose());
    const admin = await adminOf(new ApiClient(app.baseUrl));
    for (const name of NAMES) await createAccount(admin, name);
    // The command uses the settings of the process.
    const env = { KEYFOLD_DATA_DIR: app.dataDir };
    const status = async () => (await keyfold(env, 'openlist', 'status')).out;
    await eventually(async () => {
      const out = await status();
      expect(out).toMatch(/ accounts with a mirror +1\n/);
      expect(out).toMatch(/ account \d+ since .*Run "keyfold openlist adopt"/);
    });
    expect(await keyfold(env, 'openlist', 'adopt', 'ann', '--yes')).toMatchObject({ status: 0 });
    expect(openlist.users.named('ann')!.id).toBe(ann.id);
    const found = async () => (await keyfold(env, 'openlist', 'verify')).out;
    expect(await found()).toBe('2 mirrors with 0 SSH keys: no differences\n');
    expect(await keyfold(env, 'openlist', 'rebuild')).toMatchObject({ status: 0, out: 'made 2 mirrors, deleted 0\n' });
    expect(await found()).toBe('2 mirrors with 0 SSH keys: no differences\n');
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('a command names the setting that the service lacks', async () => {
    const app = await StandaloneProcess.start();
    onTestFinished(() => app.dispose());
    const env = {
      KEYFOLD_DATA_DIR: app.dataDir,
      KEYFOLD_OPENLIST_URL: 'http://127.0.0.1:1',
      KEYFOLD_OPENLIST_TOKEN: 't',
    };
    expect(await keyfold(env, 'openlist', 'verify')).toMatchObject({
      status: 78,
      err: expect.stringContaining('Set it and KEYFOLD_OPENLIST_TOKEN for the running process, and restart it'),
    });
  });
});
