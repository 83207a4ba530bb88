import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { onTerminal } from '../support/terminal.js';

it('on a terminal a banner shows the address and the first password, and Ctrl-C stops the process with 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-terminal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const terminal = onTerminal({ KEYFOLD_HOST: '127.0.0.1', KEYFOLD_PORT: '0', KEYFOLD_DATA_DIR: folder });
  onTestFinished(() => terminal.close());
  await terminal.untilShown('Stop with Ctrl-C');
  const shown = terminal.text();
  const [, url = ''] = /Keyfold is ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? [];
  const [, password = ''] = /password\s+([A-Za-z0-9]{16})\s/.exec(shown) ?? [];
  expect((await new ApiClient(url).logIn('admin', password)).code).toBe(200);
  expect(shown).toContain('Shown only once. Change it with: npx keyfold account set-password admin');
  expect(shown.split(password)).toHaveLength(2);
  expect(shown).not.toMatch(/^\{"/m);
  terminal.press('\x03');
  expect(await terminal.ended).toBe(0);
});

describe('a typed password', () => {
  let app: StandaloneProcess;
  beforeAll(async () => {
    app = await StandaloneProcess.start();
  });
  afterAll(() => app?.dispose());

  /** Types a line at each prompt. Returns what was shown and the exit code. */
  async function typing(...lines: readonly string[]) {
    const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', 'account', 'set-password', 'admin');
    onTestFinished(() => terminal.close());
    for (const [index, line] of lines.entries()) {
      await terminal.untilShown(index === 0 ? 'New password for admin: ' : 'Repeat the password: ');
      terminal.press(line);
    }
    return { status: await terminal.ended, shown: terminal.text() };
  }

  it('is set when typed twice, and is not shown', async () => {
    const { status, shown } = await typing('typed secrex\x7ft\r', 'typed secret\r');
    expect(status).toBe(0);
    expect(shown).not.toContain('secre');
    expect((await new ApiClient(app.baseUrl).logIn('admin', 'typed secret')).code).toBe(200);
  });

  it.each([
    [
      'with a different repetition is refused',
      ['one way\r', 'another way\r'],
      2,
      'the two passwords differ. Nothing was changed',
    ],
    [
      'with a premature end of input is refused',
      ['half of i\r', '\x04'],
      2,
      'no password was entered. Nothing was changed',
    ],
    ['is cancelled by Ctrl-C', ['half of i\x03'], 130, ''],
  ])('%s', async (_, lines, expected, text) => {
    const { status, shown } = await typing(...lines);
    expect(status).toBe(expected);
    expect(shown).toContain(text);
    expect(shown).not.toContain('half');
  });

  it('is not asked for if the account does not exist', async () => {
    const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', 'account', 'set-password', 'admim');
    onTestFinished(() => terminal.close());
    expect(await terminal.ended).toBe(1);
    expect(terminal.text().trim()).toBe('no account "admim". Nothing was changed');
  });

  it('is asked for and set while no process runs', async () => {
    if (app.isRunning) await app.stop();
    expect(await typing('offline\r', 'offline\r')).toMatchObject({ status: 0 });
    await app.restart();
    expect((await new ApiClient(app.baseUrl).logIn('admin', 'offline')).code).toBe(200);
  });
});

describe('the deletion of an account', () => {
  let app: StandaloneProcess;
  beforeAll(async () => {
    app = await StandaloneProcess.start();
    await createAccount(await adminOf(new ApiClient(app.baseUrl)), 'leaving');
  });
  afterAll(() => app?.dispose());

  async function answering(username: string, answer: string) {
    const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', 'account', 'delete', username);
    onTestFinished(() => terminal.close());
    await terminal.untilShown('Type "yes": ');
    terminal.press(answer);
    return { status: await terminal.ended, shown: terminal.text() };
  }

  it('is asked for, and needs the word yes', async () => {
    for (const answer of ['y\r', '\r', '\x04']) {
      const { status, shown } = await answering('leaving', answer);
      expect(status).toBe(2);
      expect(shown).toContain('the deletion was not confirmed. Nothing was changed');
    }
    expect((await answering('leaving', '\x03')).status).toBe(130);
    const { status, shown } = await answering('leaving', 'yes\r');
    expect(status).toBe(0);
    expect(shown).toContain('deleted the account "leaving"');
  });

  it('is not asked for if the account does not exist', async () => {
    const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', 'account', 'delete', 'nobody');
    onTestFinished(() => terminal.close());
    expect(await terminal.ended).toBe(1);
    expect(terminal.text()).toContain('no account "nobody"');
  });

  it('a new account whose name is taken is refused before the password prompt', async () => {
    const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', 'account', 'create', 'admin');
    onTestFinished(() => terminal.close());
    expect(await terminal.ended).toBe(1);
    expect(terminal.text()).toContain('another account has the name "admin". Nothing was changed');
    expect(terminal.text()).not.toContain('New password');
  });
});
