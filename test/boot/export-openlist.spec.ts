import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { onTerminal } from '../support/terminal.js';

type Service = Readonly<{ api: ApiClient; env: ProcessEnv; dispose(): Promise<void> }>;

async function sqlite(): Promise<Service> {
  const app = await StandaloneProcess.start();
  const env = { KEYFOLD_DATA_DIR: app.dataDir };
  return { api: new ApiClient(app.baseUrl), env, dispose: () => app.dispose() };
}

async function mongodb(): Promise<Service> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  return {
    api: service.api(),
    env: { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY },
    dispose: () => service.dispose(),
  };
}

describe.each([
  ['the embedded store', sqlite],
  ['MongoDB', mongodb],
])('an export beside a service on %s', (_, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
    await createAccount(await adminOf(service.api), 'ann');
  });
  afterAll(() => service?.dispose());

  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    file = join(folder, 'new.db');
  });

  it('needs a confirmation of new passwords, and an import knows its accounts again', async () => {
    const refused = await keyfold(service.env, 'export', 'openlist', file);
    expect(refused).toMatchObject({
      status: 2,
      out: expect.stringContaining('3 accounts cannot keep the password and will get a new one\n'),
      err: expect.stringContaining('--reset-passwords must confirm the new passwords. Nothing was written\n'),
    });
    expect(readdirSync(folder)).toEqual([]);

    const { status, err } = await keyfold(service.env, 'export', 'openlist', file, '--reset-passwords');
    expect(status, err).toBe(0);
    expect(readFileSync(`${file}.passwords`, 'utf8')).toContain('"username":"ann"');
    expect(await keyfold(service.env, 'import', 'openlist', file)).toMatchObject({
      status: 0,
      out: 'No change: 3 unchanged, 0 changed here, 0 refused\n',
    });
  });

  it('asks on a terminal, and leaves no file without the word yes', async () => {
    const answering = async (answer: string) => {
      const terminal = onTerminal(service.env, 'cli', 'export', 'openlist', file);
      onTestFinished(() => terminal.close());
      await terminal.untilShown('Type "yes": ');
      terminal.press(answer);
      return terminal.ended;
    };
    expect(await answering('no\r')).toBe(2);
    expect(await answering('\x03')).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
    expect(await answering('yes\r')).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(['new.db', 'new.db.passwords']);
  });
});
