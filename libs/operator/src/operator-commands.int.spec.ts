import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operatorStores, type OperatorScene } from '../testing/operator-scene.js';
import { operatorCommands, type OperatorArgs, type OperatorCommandName } from './operator-commands.js';
import { columnsOf } from './output/printable.js';
import { LINE_COLUMNS } from './output/table.js';

/** Names that a terminal would not show as they are, or that are too long for a table. */
const HOSTILE = [
  'x'.repeat(4_096),
  'a\nb\r\nadmin  enabled',
  '\u001b[2J\u001b]0;title\u0007\u009b31m',
  '\u202ennA\u2066\u200f',
  '\u05e9\u05e8\u05d4\u200e'.repeat(20),
  '\u5f20'.repeat(200),
  'e\u0301'.repeat(100),
  ' \ufeff\u2028',
];
const NAME = HOSTILE[1]!;
const LONG_KEY = 'k'.repeat(128);

const text = z.string();
const time = z.iso.datetime();
const account = z.strictObject({
  id: z.int(),
  username: text,
  role: z.int(),
  disabled: z.boolean(),
  basePath: text,
  permission: z.int(),
  ssoId: text,
  allowLdap: z.boolean(),
  twoFactor: z.enum(['off', 'on', 'locked']),
  recoveryCodesLeft: z.int().nullable(),
  passwordChanged: time.nullable(),
});
const change = z.strictObject({ key: text, from: text.nullable(), to: text.nullable(), secret: z.boolean() });
const slot = z.strictObject({
  slot: z.int(),
  head: z.int(),
  checkpoint: z.int(),
  lag: z.int(),
  owner: text.nullable(),
});
const total = { commits: z.int(), lag: z.int(), owners: z.int() };

/** `table`: the lines for people are a table; other lines may be longer. `json`: the schema of each line with `--json`. */
type Case<Name extends OperatorCommandName> = Readonly<{
  args: OperatorArgs<Name>;
  table?: true;
  /** Lines of a table command that are sentences. */
  sentences?: RegExp;
  json?: z.ZodType;
  status?: number;
}>;
const quiet = { dryRun: false, json: false };

/** Runs every command. A new command must add its case here. */
const cases: { readonly [Name in OperatorCommandName]: Case<Name> } = {
  'account list': { args: { json: false }, table: true, json: account },
  'account show': { args: { username: NAME, json: false }, table: true, json: account },
  'account sessions': {
    args: { username: NAME, evictAll: false, json: false },
    table: true,
    json: z.strictObject({
      id: z.uuid(),
      started: time,
      lastActive: time,
      expires: time,
      works: z.boolean(),
      ip: text,
      ua: text,
      factors: z.array(text),
    }),
  },
  'account keys': {
    args: { username: NAME, json: false },
    table: true,
    json: z.strictObject({ id: z.int(), title: text, fingerprint: text, added: time, lastUsed: time.nullable() }),
  },
  'account create': {
    args: {
      username: `new ${NAME}`,
      password: 'pw',
      basePath: '/',
      permission: 0,
      disabled: false,
      ssoId: '',
      json: false,
    },
    json: account,
  },
  'account update': { args: { username: NAME, changes: { ssoId: NAME }, json: false }, json: account },
  'account disable': { args: { username: NAME } },
  'account enable': { args: { username: NAME } },
  'account delete': { args: { username: NAME } },
  'account unlock': { args: { username: NAME } },
  'account exists': { args: { username: NAME } },
  'account set-password': { args: { username: NAME, password: 'pw' } },
  'account disable-two-factor': { args: { username: NAME } },
  'settings get': {
    args: { keys: [], reveal: false, json: false },
    table: true,
    json: z.strictObject({
      key: text,
      value: text.nullable(),
      kind: z.enum(['public', 'private', 'read-only', 'unknown']),
      secret: z.boolean(),
      type: text,
      options: text,
      help: text,
    }),
  },
  'settings diff': {
    args: { reveal: true, json: false },
    table: true,
    json: z.strictObject({ key: text, factory: text.nullable(), value: text.nullable(), secret: z.boolean() }),
  },
  'settings set': { args: { key: 'announcement', value: NAME, ...quiet }, table: true, json: change },
  'settings import': {
    args: { settings: [{ key: 'announcement', value: NAME }], ...quiet },
    table: true,
    json: change,
  },
  'settings reset': { args: { keys: [], ...quiet }, table: true, json: change },
  'settings export': { args: { secrets: true } },
  'settings delete': { args: { key: LONG_KEY } },
  'settings reset-token': { args: { json: false }, json: z.strictObject({ token: text }) },
  'secrets status': {
    args: { json: false },
    table: true,
    json: z.strictObject({
      keys: z.array(
        z.strictObject({
          key: text,
          passwords: z.int(),
          twoFactorSecrets: z.int(),
          recoveryCodes: z.int(),
          staticTokens: z.int(),
          settings: z.int(),
        }),
      ),
    }),
  },
  'secrets reseal': { args: {} },
  'projections status': {
    args: { json: false },
    table: true,
    json: z.strictObject({
      reader: text,
      total: z.strictObject({ ...total, projected: z.int() }),
      slots: z.array(slot),
      parked: z.array(z.unknown()),
    }),
  },
  'projections rebuild': { args: {} },
  'projections retry-parked': { args: {} },
  'feed status': {
    args: { json: false },
    table: true,
    sentences: /^Nothing is published: /,
    json: z.strictObject({
      reader: text,
      total: z.strictObject({ ...total, published: z.int() }),
      problem: text.nullable(),
      slots: z.array(slot),
      parked: z.array(z.unknown()),
    }),
  },
  'feed replay': { args: {} },
  'events show': {
    args: { stream: 'account-101', json: false },
    json: z.looseObject({ stream: text, version: z.int() }),
  },
  verify: { args: {} },
  migrate: { args: { follow: false } },
  compact: { args: { dryRun: true } },
};

describe.each(operatorStores)('on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open();
    for (const [index, username] of HOSTILE.entries()) await scene.register(100 + index, username);
    for (const client of HOSTILE.filter((name) => Buffer.byteLength(JSON.stringify(name)) < 1_024))
      await scene.startSession(101, { client, address: '2001:db8:1111:2222:3333:4444:5555:6666' });
    await scene.addSshKey(101, NAME);
    const settings = [
      { key: 'site_title', value: NAME },
      { key: LONG_KEY, value: 'x'.repeat(4_096) },
      { key: 'sso_client_secret', value: NAME },
    ];
    await scene.run({ command: 'settings import', args: { settings, dryRun: false, json: false } });
  });

  const run = (command: OperatorCommandName, differing: object = {}) =>
    scene.run({ command, args: { ...cases[command].args, ...differing } } as never);
  const names = Object.keys(operatorCommands) as OperatorCommandName[];
  const withJson = names.filter((name) => cases[name].json);

  it.each(names)(
    '%s writes lines that a terminal shows as they are, and tables of at most 80 columns',
    async (name) => {
      const { table, sentences } = cases[name];
      const { status, out, err } = await run(name);
      expect(status, [...out, ...err].join('\n')).toBe(0);
      // These write whole values for programs.
      if (name === 'settings export') return;
      for (const line of [...out, ...err]) expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      if (!table) return;
      expect(out.length).toBeGreaterThan(0);
      for (const line of out.filter((each) => !sentences?.test(each)))
        expect(columnsOf(line), line).toBeLessThanOrEqual(LINE_COLUMNS);
    },
  );

  it.each(withJson)('%s --json writes objects of its documented shape', async (name) => {
    const { status, out } = await run(name, { json: true });
    expect(status).toBe(0);
    expect(out.length).toBeGreaterThan(0);
    for (const line of out) z.parse(cases[name].json!, JSON.parse(line));
  });

  it('every command that takes --json is among them', () => {
    const takers = names.filter((name) => 'json' in operatorCommands[name].args.shape);
    expect(takers.toSorted()).toEqual(withJson.toSorted());
  });
});
