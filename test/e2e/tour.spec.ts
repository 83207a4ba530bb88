import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { needs } from '../support/needs.js';
import { patternOf, tourAnswers, tourCommands } from '../support/tour.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { commandOnTerminal } from '../support/terminal.js';

await needs('ssh-keygen', 'oathtool', 'curl', 'dash', 'bash');

/** Pastes the blocks into a shell on a terminal. Returns what it showed and the files that remain. */
async function paste(shell: string, { baseUrl }: StandaloneProcess, password: string) {
  const home = mkdtempSync(join(tmpdir(), 'keyfold-tour-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const pasted = tourCommands
    .join('')
    .replace(/^base=.*$/m, `base=${baseUrl}`)
    .replace(/^admin_password=.*$/m, `admin_password='${password}'`);
  const terminal = commandOnTerminal({ HOME: home, TMPDIR: home }, shell);
  onTestFinished(() => terminal.close());
  // Only answers are shown from here on. The shell computes the marker, so that the echo of this command does not match it.
  terminal.press("cd; unset HISTFILE; stty -echo; PS1=''; PS2=''; echo begin $((1 + 1))\n");
  await terminal.untilShown('begin 2');
  terminal.press(`${pasted}echo the shell goes on\nexit\n`);
  await terminal.ended;
  const [, shown = ''] = terminal.text().replaceAll('\r\n', '\n').split('begin 2\n');
  return { shown: shown.replace(/exit\n$/, ''), left: readdirSync(home) };
}

describe.each([
  ['dash', 'dash -i'],
  ['bash', 'bash --norc --noediting -i'],
])('the tour, pasted into %s', (name, shell) => {
  it('stops at a wrong password with one sentence, and prints the answers of its page with the right one', async () => {
    const app = await StandaloneProcess.start();
    onTestFinished(() => app.dispose());
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const names = async () =>
      (await admin.get('/api/admin/user/list'))
        .data<{ content: { username: string }[] }>()
        .content.map(({ username }) => username);

    const { shown: refusal } = await paste(shell, app, 'mistyped');
    const sentence = 'login failed, correct admin_password and start again';
    expect(refusal).toMatch(new RegExp(`^${name}: .*admin: ${sentence}\n`));
    expect(refusal).toMatch(/the shell goes on\n$/);
    expect(refusal).not.toContain('"username"');
    expect(await names()).toEqual(['admin', 'guest']);

    const { shown, left } = await paste(shell, app, ADMIN_PASSWORD);
    expect(shown).toMatch(patternOf(`${tourAnswers.join('')}the shell goes on\n`));
    expect({ left, names: await names() }).toEqual({ left: [], names: ['admin', 'guest'] });
  });
});

it('the tour has an answer for every block but the first', () => {
  expect(tourCommands).toHaveLength(9);
  expect(tourAnswers).toHaveLength(8);
});
