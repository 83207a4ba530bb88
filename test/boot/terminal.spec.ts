import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { onTerminal } from '../support/terminal.js';

it('on a terminal a banner shows the address, the first password and the setup code, and Ctrl-C stops the process with 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-terminal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const terminal = onTerminal({ KEYFOLD_HOST: '127.0.0.1', KEYFOLD_PORT: '0', KEYFOLD_DATA_DIR: folder });
  onTestFinished(() => terminal.close());
  await terminal.untilShown('Stop with Ctrl-C');
  const shown = terminal.text();
  const [, url = ''] = /Keyfold is ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? [];
  const [, password = ''] = /password\s+([A-Za-z0-9]{16})\s/.exec(shown) ?? [];
  expect((await new ApiClient(url).logIn('admin', password)).code).toBe(200);
  expect(shown).toMatch(/address {5}http:\/\/127\.0\.0\.1:\d+\/@account\s+setup code {2}[\dA-Z]{4}(-[\dA-Z]{4}){3}\s/);
  expect(shown).toContain('Shown only once. Change it with: keyfold account set-password admin');
  expect(shown.split(password)).toHaveLength(2);
  expect(shown).not.toMatch(/^\{"/m);
  terminal.press('\x03');
  expect(await terminal.ended).toBe(0);
});

let app: StandaloneProcess;
beforeAll(async () => {
  app = await StandaloneProcess.start();
  await createAccount(await adminOf(new ApiClient(app.baseUrl)), 'leaving');
});
afterAll(() => app?.dispose());

/** Runs a command and types a line at each prompt. Returns what was shown and the exit code. */
async function typing(args: readonly string[], ...lines: readonly (readonly [prompt: string, line: string])[]) {
  const terminal = onTerminal({ KEYFOLD_DATA_DIR: app.dataDir }, 'cli', ...args);
  onTestFinished(() => terminal.close());
  for (const [prompt, line] of lines) {
    await terminal.untilShown(prompt);
    terminal.press(line);
  }
  return { status: await terminal.ended, shown: terminal.text() };
}

describe('a typed password', () => {
  const prompts = ['New password for admin: ', 'Repeat the password: '];
  const typed = (...lines: readonly string[]) =>
    typing(['account', 'set-password', 'admin'], ...lines.map((line, index) => [prompts[index]!, line] as const));

  it('is set when typed twice, and is not shown', async () => {
    const { status, shown } = await typed('typed secrex\x7ft\r', 'typed secret\r');
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
    const { status, shown } = await typed(...lines);
    expect(status).toBe(expected);
    expect(shown).toContain(text);
    expect(shown).not.toContain('half');
  });

  it('is asked for and set while no process runs', async () => {
    await app.stop();
    expect(await typed('offline\r', 'offline\r')).toMatchObject({ status: 0 });
    await app.restart();
    expect((await new ApiClient(app.baseUrl).logIn('admin', 'offline')).code).toBe(200);
  });
});

it('the deletion of an account is asked for, and needs the word yes', async () => {
  const answering = (answer: string) => typing(['account', 'delete', 'leaving'], ['Type "yes": ', answer]);
  for (const answer of ['y\r', '\r', '\x04']) {
    const { status, shown } = await answering(answer);
    expect(status).toBe(2);
    expect(shown).toContain('the deletion was not confirmed. Nothing was changed');
  }
  expect((await answering('\x03')).status).toBe(130);
  const { status, shown } = await answering('yes\r');
  expect(status).toBe(0);
  expect(shown).toContain('deleted the account "leaving"');
});

it.each([
  ['set-password admim', 'no account "admim". Nothing was changed'],
  ['delete nobody', 'no account "nobody". Nothing was changed'],
  ['create admin', 'another account has the name "admin". Nothing was changed'],
])('account %s is refused before it asks for anything', async (line, refusal) => {
  const { status, shown } = await typing(['account', ...line.split(' ')]);
  expect({ status, shown: shown.trim() }).toEqual({ status: 1, shown: refusal });
});
