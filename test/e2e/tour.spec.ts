import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { commandOnTerminal } from '../support/terminal.js';

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
const [section = ''] = /^## A five-minute tour[^]*?(?=^## )/m.exec(readme) ?? [];
const blocks = [...section.matchAll(/^```(sh)?\n([^]*?)^```$/gm)].map(([, kind, lines = '']) => ({ kind, lines }));
/** What is pasted, without the installation, and what the README prints below it. */
const commands = blocks.filter(({ kind, lines }) => kind === 'sh' && !lines.startsWith('sudo'));
const answers = blocks.filter(({ kind }) => kind === undefined).map(({ lines }) => lines);

/** A pattern of the printed answers: a mark of omission stands for anything, and all fingerprints are those of one key, whichever. */
function patternOf(printed: string): RegExp {
  const [before = '', ...rest] = printed.split(/SHA256:[\w+/]{43}/).map(literally);
  return new RegExp(`^${before}(?<fingerprint>SHA256:[\\w+/]{43})${rest.join('\\k<fingerprint>')}$`);
}

const literally = (printed: string) => printed.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*');

/** Pastes the blocks into a shell on a terminal, and answers what that showed and which files are left. */
async function paste(shell: string, { baseUrl }: StandaloneProcess, password: string) {
  const home = mkdtempSync(join(tmpdir(), 'keyfold-tour-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const pasted = commands
    .map(({ lines }) => lines)
    .join('')
    .replace(/^base=.*$/m, `base=${baseUrl}`)
    .replace(/^admin_password=.*$/m, `admin_password='${password}'`);
  const terminal = commandOnTerminal({ HOME: home, TMPDIR: home }, shell);
  onTestFinished(() => terminal.close());
  // From then on only the answers are shown; the sum is not in what is typed.
  terminal.press("cd; unset HISTFILE; stty -echo; PS1=''; PS2=''; echo begin $((1 + 1))\n");
  await terminal.untilShown('begin 2');
  terminal.press(`${pasted}echo the shell goes on\nexit\n`);
  await terminal.ended;
  const [, shown = ''] = terminal.text().replaceAll('\r\n', '\n').split('begin 2\n');
  return { shown: shown.replace(/exit\n$/, ''), left: readdirSync(home) };
}

async function startService() {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const names = async () =>
    (await admin.get('/api/admin/user/list'))
      .data<{ content: { username: string }[] }>()
      .content.map(({ username }) => username);
  return { app, names };
}

describe.each([
  ['dash', 'dash -i'],
  ['bash', 'bash --norc --noediting -i'],
])('the tour of the README, pasted into %s', (_, shell) => {
  it('gets the printed answers and cleans up', async () => {
    const { app, names } = await startService();
    const { shown, left } = await paste(shell, app, ADMIN_PASSWORD);
    expect(shown).toMatch(patternOf(`${answers.join('')}the shell goes on\n`));
    expect({ left, names: await names() }).toEqual({ left: [], names: ['admin', 'guest'] });
  });

  it('stops at a wrong password with a sentence, and leaves the shell alone', async () => {
    const { app, names } = await startService();
    const { shown } = await paste(shell, app, 'mistyped');
    const sentence = 'login failed, correct admin_password and start again';
    expect(shown).toMatch(new RegExp(`^${shell.split(' ')[0]}: .*admin: ${sentence}\n`));
    expect(shown).toMatch(/the shell goes on\n$/);
    expect(shown).not.toContain('"username"');
    expect(await names()).toEqual(['admin', 'guest']);
  });
});

it('the tour has an answer for every block but the first', () => {
  expect(commands).toHaveLength(9);
  expect(answers).toHaveLength(8);
});
