import { z } from 'zod';
import type { OperatorArgs, OperatorCommandName } from '../src/commands/index.js';
import { openlistAccount } from './openlist-account.js';

/** Names that a terminal would not show as they are, or that are too long for a table. */
export const HOSTILE = [
  'x'.repeat(4_096),
  'a\nb\r\nadmin  enabled',
  '\u001b[2J\u001b]0;title\u0007\u009b31m',
  '\u202ennA\u2066\u200f',
  '\u05e9\u05e8\u05d4\u200e'.repeat(20),
  '\u5f20'.repeat(200),
  'e\u0301'.repeat(100),
  ' \ufeff\u2028',
];
/** The name of the account, keys and tokens that the commands show. */
export const NAME = HOSTILE[1]!;
/** A setting that Keyfold does not know. */
export const LONG_KEY = 'k'.repeat(128);

const text = z.string();
const time = z.iso.datetime();
const id = z.int().nullable();
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
const outcome = z.enum(['taken', 'unchanged', 'changed here', 'changed on both sides', 'refused']);
const problems = z.array(z.strictObject({ reason: text, key: text.optional(), cause: text.optional() }));
const slot = z.strictObject({
  slot: z.int(),
  head: z.int(),
  checkpoint: z.int(),
  lag: z.int(),
  owner: text.nullable(),
});
/** The fields of a secret or an SSH key that every list has. */
const listed = { id: z.int(), expires: time.nullable(), lastUsed: time.nullable(), expired: z.boolean() };
const total = { commits: z.int(), lag: z.int(), owners: z.int() };

/** `table`: the lines for people are a table; other lines may be longer. `json`: the schema of each line with `--json`. */
type Case<Name extends OperatorCommandName> = Readonly<{
  args: OperatorArgs<Name>;
  table?: true;
  /** Lines of a table command that are sentences. */
  sentences?: RegExp;
  json?: z.ZodType;
  /** It changes the store, and so runs after those that do not. */
  changes?: true;
  /** It deletes what other commands need, and so runs last. */
  deletes?: true;
}>;
const quiet = { dryRun: false, json: false };

/** Runs every command. A new command must add its case here. */
export const cases: { readonly [Name in OperatorCommandName]: Case<Name> } = {
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
    json: z.strictObject({
      ...listed,
      title: text,
      fingerprint: text,
      md5Fingerprint: text,
      type: text,
      bits: z.int(),
      comment: text,
      added: time,
    }),
  },
  'account app-passwords': {
    args: { username: NAME, json: false },
    table: true,
    json: z.strictObject({ ...listed, name: text, protocol: text, created: time }),
  },
  'account tokens': {
    args: { username: NAME, json: false },
    table: true,
    json: z.strictObject({ ...listed, name: text, scopes: z.array(text), created: time }),
  },
  'account history': {
    args: { username: NAME, json: false },
    table: true,
    json: z.strictObject({
      id: text,
      time,
      type: text,
      account_id: z.int(),
      username: text,
      actor: z.strictObject({ kind: text, account_id: id, username: text, token_id: id }),
      session_id: text,
      ip: text,
      ua: text,
      correlation_id: text,
      details: z.record(text, z.unknown()),
    }),
  },
  'account create': {
    changes: true,
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
  'account update': { changes: true, args: { username: NAME, changes: { ssoId: NAME }, json: false }, json: account },
  'account disable': { changes: true, args: { username: NAME } },
  'account enable': { changes: true, args: { username: NAME } },
  'account delete': { changes: true, deletes: true, args: { username: NAME } },
  'account erase': {
    changes: true,
    args: { id: 99, json: false },
    table: true,
    sentences: /^(erased account|These backups|A restore) /,
    json: z.strictObject({
      id: z.int(),
      erased: time,
      streams: z.int(),
      commits: z.int(),
      documents: z.int(),
      backups: z.array(z.strictObject({ folder: text, host: text, since: time })),
      eventLogUntil: time.nullable(),
    }),
  },
  'account erasures': { args: { json: false }, table: true, json: z.strictObject({ id: z.int(), erased: time }) },
  'account revoke-everything': { changes: true, args: { username: NAME } },
  'account unlock': { changes: true, args: { username: NAME } },
  'account exists': { args: { username: NAME } },
  'account set-password': { changes: true, args: { username: NAME, password: 'pw' } },
  'account disable-two-factor': { changes: true, args: { username: NAME } },
  'import openlist': {
    changes: true,
    args: { accounts: [openlistAccount(7, 'imported')], accept: [], write: true, silent: false },
    json: z.strictObject({
      id: z.int(),
      username: text,
      outcome,
      accountId: id,
      problems,
      notes: z.array(text),
      needsPassword: z.boolean(),
      keys: z.int(),
    }),
  },
  'export openlist': { args: {} },
  'openlist status': {
    args: { json: false },
    table: true,
    json: z.strictObject({
      version: text,
      mirrored: z.int(),
      missing: z.int(),
      surplus: z.int(),
      unknown: z.int(),
      lag: z.int(),
      parked: z.array(z.strictObject({ accountId: z.int(), since: time, reason: text })),
    }),
  },
  'openlist adopt': { args: { names: [] } },
  'openlist rebuild': { changes: true, args: {} },
  // After the rebuild, without which accounts have no mirror.
  'openlist verify': { changes: true, args: {} },
  'import openlist-settings': {
    changes: true,
    args: { settings: [{ key: 'site_title', value: NAME }], write: true, silent: true },
  },
  'import mapping': {
    // After the import that it shows.
    changes: true,
    args: { json: false },
    table: true,
    json: z.strictObject({ id: z.int(), accountId: z.int(), username: text.nullable() }),
  },
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
  'settings set': { changes: true, args: { key: 'announcement', value: NAME, ...quiet }, table: true, json: change },
  'settings import': {
    changes: true,
    args: { settings: [{ key: 'announcement', value: `imported ${NAME}` }], ...quiet },
    table: true,
    json: change,
  },
  'settings reset': { changes: true, args: { keys: [], ...quiet }, table: true, json: change },
  'settings export': { args: { secrets: true } },
  'settings delete': { changes: true, args: { key: LONG_KEY } },
  'settings reset-token': { changes: true, args: { json: false }, json: z.strictObject({ token: text }) },
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
          openlistPasswords: z.int(),
          settings: z.int(),
        }),
      ),
    }),
  },
  'secrets reseal': { changes: true, args: {} },
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
    sentences: /^Problem: /,
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
  backup: { changes: true, args: { path: `/backups/${NAME}`, host: 'host', madeAt: 1 } },
  verify: { args: {} },
  migrate: { args: { follow: false } },
  compact: { args: { dryRun: true } },
};
