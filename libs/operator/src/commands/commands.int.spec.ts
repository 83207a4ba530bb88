import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { OpenListDouble } from '../../../../test/support/openlist/openlist-double.js';
import { cases, HOSTILE, LONG_KEY, NAME } from '../../testing/command-cases.js';
import { operatorStores, type OperatorScene } from '../../testing/operator-scene.js';
import { operatorCommands, type OperatorCommandName } from './index.js';
import { columnsOf } from '../output/printable.js';
import { LINE_COLUMNS } from '../output/table.js';

const rankOf = ({ changes, deletes }: (typeof cases)[OperatorCommandName]) => Number(!!changes) + Number(!!deletes);
const names = (Object.keys(operatorCommands) as OperatorCommandName[]).toSorted(
  (a, b) => rankOf(cases[a]) - rankOf(cases[b]),
);
const withJson = names.filter((name) => cases[name].json);

it('every command that takes --json has a documented shape', () => {
  const takers = names.filter((name) => 'json' in operatorCommands[name].fields);
  expect(takers.toSorted()).toEqual(withJson.toSorted());
});

describe.each(operatorStores)('on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    const openlist = await OpenListDouble.start();
    onTestFinished(() => openlist[Symbol.asyncDispose]());
    scene = await open({ openlist: { url: openlist.url, token: openlist.staticToken } });
    for (const [index, username] of HOSTILE.entries()) await scene.register(100 + index, username);
    for (const client of HOSTILE.filter((name) => Buffer.byteLength(JSON.stringify(name)) < 1_024))
      await scene.startSession(101, { client, address: '2001:db8:1111:2222:3333:4444:5555:6666' });
    await scene.addSshKey(101, NAME);
    await scene.addAccessToken(101, NAME);
    await scene.addAppPassword(101, NAME);
    const settings = [
      { key: 'site_title', value: NAME },
      { key: LONG_KEY, value: 'x'.repeat(4_096) },
      { key: 'sso_client_secret', value: NAME },
    ];
    await scene.record({ type: 'RecordErasure', accountId: 99, erasedAt: Date.now() });
    await scene.record({ type: 'RecordBackup', folder: NAME, host: 'x'.repeat(80), madeAt: 1 });
    await scene.run({ command: 'settings import', args: { settings, dryRun: false, json: false } });
  });

  const run = (command: OperatorCommandName, differing: object = {}) =>
    scene.run({ command, args: { ...cases[command].args, ...differing } } as never);

  /** Checks that a terminal shows the lines as they are, and that the lines of a table have at most 80 columns. */
  async function expectPrintable(name: OperatorCommandName): Promise<void> {
    const { table, sentences } = cases[name];
    const { status, out, err } = await run(name);
    expect(status, [name, ...out, ...err].join('\n')).toBe(0);
    // They write whole values for programs.
    if (name === 'settings export' || name === 'export openlist') return;
    for (const line of [...out, ...err]) expect(line, name).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    if (!table) return;
    expect(out.length, name).toBeGreaterThan(0);
    for (const line of out.filter((each) => !sentences?.test(each)))
      expect(columnsOf(line), `${name}: ${line}`).toBeLessThanOrEqual(LINE_COLUMNS);
  }

  /** Checks that each line is an object of the documented shape. */
  async function expectJson(name: OperatorCommandName): Promise<void> {
    const { status, out } = await run(name, { json: true });
    expect(status, name).toBe(0);
    expect(out.length, name).toBeGreaterThan(0);
    for (const line of out) z.parse(cases[name].json!, JSON.parse(line));
  }

  it('every command writes printable lines', async () => {
    for (const name of names) await expectPrintable(name);
  });

  it('every command with --json writes its documented shape', async () => {
    for (const name of withJson) await expectJson(name);
  });
});
