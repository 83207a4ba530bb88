import { absentAccount, type Account } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operatorStores, type OperatorScene } from '../../testing/operator-scene.js';
import { runCommand } from '../run-command.js';
import { runInOwnerProcess } from '../socket/operator-socket.client.js';
import { OperatorSocketServer } from '../socket/operator-socket.server.js';

const MANY = 10_000;
const FIRST = 100;
const LIST = { command: 'account list', args: { json: true } } as const;
const never = new AbortController().signal;
const idsOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { id: number }).id);
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** Writes the documents of many accounts, which is faster than their commits. */
async function writeAccounts({ ports }: OperatorScene, ids: readonly number[], differing: Partial<Account> = {}) {
  const put = (accountId: number) => {
    const state = {
      ...absentAccount,
      status: 'active',
      accountId,
      username: `account ${accountId}`,
      ...differing,
    } as const;
    return ports.readModels.put(accountStream(accountId), { version: 1, state });
  };
  for (let from = 0; from < ids.length; from += 1_000) await Promise.all(ids.slice(from, from + 1_000).map(put));
}

describe.each(operatorStores)('on %s', (_, open) => {
  it('10,000 accounts are read page by page, as fast as their lines are written', async () => {
    const scene = await open();
    await writeAccounts(scene, idsFrom(FIRST, MANY));
    const list = vi.spyOn(scene.ports.readModels, 'list');
    const pagesAtLine: number[] = [];
    const output = { out: async () => void pagesAtLine.push(list.mock.calls.length), err: async () => undefined };
    expect(await runCommand(scene.ports, LIST, output, never)).toBe(0);
    expect(pagesAtLine).toHaveLength(MANY);
    expect(pagesAtLine[0]).toBe(1);
    expect(pagesAtLine[MANY / 2]).toBeLessThan(pagesAtLine[MANY - 1]!);
    for (const [, , limit] of list.mock.calls) expect(limit).toBeLessThanOrEqual(1_000);
    expect(idsOf((await scene.run(LIST)).out)).toEqual(idsFrom(FIRST, MANY));
  });

  it('an account that is deleted meanwhile hides no other one', async () => {
    const scene = await open();
    const count = 1_200;
    await writeAccounts(scene, idsFrom(FIRST, count));
    const shown: string[] = [];
    const output = {
      async out(line: string) {
        shown.push(line);
        // Deletes the first 300 accounts after the first page, so that every later one moves by 300 places.
        if (shown.length !== 400) return;
        const gone = { ...absentAccount, status: 'deleted' } as const;
        for (const id of idsFrom(FIRST, 300))
          await scene.ports.readModels.put(accountStream(id), { version: 2, state: { ...gone, accountId: id } });
      },
      err: async () => undefined,
    };
    await runCommand(scene.ports, LIST, output, never);
    expect(idsOf(shown)).toEqual(idsFrom(FIRST, count));
  });

  it('large accounts make pages shorter, and all are listed', async () => {
    const scene = await open();
    await writeAccounts(scene, idsFrom(FIRST, 600), { basePath: `/${'x'.repeat(4_000)}`, ssoId: 'y'.repeat(1_000) });
    const { out } = await scene.run(LIST);
    expect(idsOf(out)).toEqual(idsFrom(FIRST, 600));
  });
});

it('10,000 accounts pass the socket to a slow reader', async () => {
  const scene = await operatorStores[0][1]();
  await writeAccounts(scene, idsFrom(FIRST, MANY));
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = new OperatorSocketServer((...sent) => runCommand(scene.ports, ...sent));
  await server.start(folder);
  onTestFinished(() => server.close());
  let lines = 0;
  const output = {
    async out() {
      lines++;
      if (lines % 1_000 === 0) await new Promise((later) => setTimeout(later, 20));
    },
    err: async () => undefined,
  };
  const request = { command: 'account list', args: { json: false } };
  expect(await runInOwnerProcess(folder, request, output, never)).toBe(0);
  expect(lines).toBe(MANY + 2);
});
