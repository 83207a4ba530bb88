import { CommandRunner, SystemClock } from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import {
  accountStream,
  ListUpdates,
  Projection,
  readModels,
  Rebuild,
  openlistUserStream,
  siteSettingsStream,
  StreamLoader,
} from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  deleted,
  enrolmentStarted,
  registered,
  recoveryCodesGenerated,
  twoFactorEnabled,
} from '../../../domain/testing/account.events.js';
import { staticTokenReset, secretSettingChanged } from '../../../domain/testing/site-settings.events.js';
import { EmbeddedProjections } from '../../../projections/testing/embedded-projections.js';
import { MongoProjections } from '../../../projections/testing/mongo-projections.js';
import type { CommandRun } from '../command-run.js';
import { resealAllSecrets, showSealingKeys } from './sealing-keys.js';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const [k1, k2, lost] = [newKey('k1'), newKey('k2'), newKey('lost')];
const old = new Sealer([k1]);
const both = new Sealer([k2, k1]);
const fresh = new Sealer([k2]);

const stores = [
  ['SQLite', async () => new EmbeddedProjections()],
  ['MongoDB', () => MongoProjections.open()],
] as const;

describe.each(stores)('on %s', (_, open) => {
  let projections: EmbeddedProjections | MongoProjections;
  let runner: CommandRunner;

  beforeEach(async () => {
    projections = await open();
    runner = newRunner();
    const token = { ...staticTokenReset('token'), sealed: { token: old.seal('token', 'site-settings/static-token') } };
    await projections.append(siteSettingsStream, token);
  });

  /** Returns the command runner of a process that has just started. */
  function newRunner(): CommandRunner {
    const { store, readModels: documents } = projections;
    const loader = new StreamLoader(store, documents);
    const projection = new Projection(loader, documents, Date.now);
    const lists = new ListUpdates(projection, (_, error) => expect.fail(String(error)));
    return new CommandRunner(store, loader, lists, new SystemClock());
  }
  const register = (id: number, sealer = old) => {
    const sealed = { passwordHash: sealer.seal(`hash ${id}`, `account-${id}/password`) };
    return projections.append(accountStream(id), { ...registered(`account ${id}`, { accountId: id }), sealed });
  };
  const enrol = (id: number, enrolment: number) => {
    const sealed = { secret: old.seal(`secret ${enrolment}`, `account-${id}/two-factor`) };
    return projections.append(accountStream(id), { ...enrolmentStarted(enrolment), sealed });
  };

  async function run(command: (run: CommandRun) => Promise<number>, signal = new AbortController().signal) {
    const lines: string[] = [];
    const write = async (line: string) => void lines.push(line);
    const ports = {
      store: projections.store,
      feed: projections.store,
      runner: async () => runner,
      sealer: async () => both,
    };
    const output = { out: write, err: write };
    return { status: await command({ ports, output, signal } as unknown as CommandRun), lines };
  }
  const reseal = () => run((each) => resealAllSecrets({}, each));
  const keys = async () => {
    const { lines } = await run((each) => showSealingKeys({ json: true }, each));
    return (JSON.parse(lines[0]!) as { keys: unknown[] }).keys;
  };

  /** Returns the account as a process sees it that has only the log and the new key. */
  async function rebuiltAccount(id: number): Promise<Account> {
    await new Rebuild(projections.store, projections.store, projections.readModels, readModels, Date.now).run(
      async (problem) => expect.fail(problem),
      new AbortController().signal,
    );
    const [{ state }] = await new StreamLoader(projections.store, projections.readModels).load(accountStream(id));
    return state;
  }

  it('every secret gets the first key, and a rebuild from the log needs no other key', async () => {
    await register(7);
    await enrol(7, 1);
    await projections.append(accountStream(7), twoFactorEnabled(1));
    await projections.append(
      accountStream(7),
      recoveryCodesGenerated(1, old.seal('hashes', 'account-7/recovery-codes')),
    );
    await enrol(7, 2);
    const password = old.seal('password there', 'openlist-user-7/password');
    const data = { accountId: 7, userId: 3 };
    await projections.append(openlistUserStream(7), { type: 'OpenListUserLinked', v: 1, data, sealed: { password } });
    for (const id of [8, 9, 10]) await register(id);
    await register(11, both);
    for (const [key, sealer] of [
      ['ldap_manager_password', old],
      ['unknown', old],
      ['aria2_secret', both],
    ] as const)
      await projections.append(
        siteSettingsStream,
        secretSettingChanged(key, sealer.seal(`value of ${key}`, `site-settings/setting/${key}`)),
      );
    expect(await keys()).toEqual([
      {
        key: 'k1',
        passwords: 4,
        twoFactorSecrets: 2,
        recoveryCodes: 1,
        staticTokens: 1,
        settings: 2,
        openlistPasswords: 1,
      },
      {
        key: 'k2',
        passwords: 1,
        twoFactorSecrets: 0,
        recoveryCodes: 0,
        staticTokens: 0,
        settings: 1,
        openlistPasswords: 0,
      },
    ]);

    expect(await reseal()).toEqual({ status: 0, lines: ['resealed 11 secrets with the key "k2"; 2 already had it'] });

    expect(await keys()).toEqual([
      {
        key: 'k2',
        passwords: 5,
        twoFactorSecrets: 2,
        recoveryCodes: 1,
        staticTokens: 1,
        settings: 3,
        openlistPasswords: 1,
      },
    ]);
    const account = await rebuiltAccount(7);
    expect(fresh.open(account.sealedPasswordHash, 'account-7/password')).toBe('hash 7');
    expect(fresh.open(account.twoFactor!.sealedSecret, 'account-7/two-factor')).toBe('secret 1');
    expect(fresh.open(account.pendingEnrolment!.sealedSecret, 'account-7/two-factor')).toBe('secret 2');
    expect(fresh.open(account.twoFactor!.recoveryCodes!.sealedCodes, 'account-7/recovery-codes')).toBe('hashes');
    const [{ state: user }] = await new StreamLoader(projections.store, projections.readModels).load(
      openlistUserStream(7),
    );
    expect(fresh.open(user.sealedPassword, 'openlist-user-7/password')).toBe('password there');
    expect(account.generation).toBe(1);
    const [{ state }] = await new StreamLoader(projections.store, projections.readModels).load(siteSettingsStream);
    expect(fresh.open(state.sealedStaticToken, 'site-settings/static-token')).toBe('token');
    for (const [key, sealed] of Object.entries(state.sealedValues))
      expect(fresh.open(sealed, `site-settings/setting/${key}`)).toBe(`value of ${key}`);
    const heads = await projections.store.readHeads();
    expect(await reseal()).toEqual({ status: 0, lines: ['resealed 0 secrets with the key "k2"; 13 already had it'] });
    expect(await projections.store.readHeads()).toEqual(heads);
  });

  it('a secret that no key opens is reported and not changed, and the others are resealed', async () => {
    await register(7, new Sealer([lost]));
    await register(8);
    const value = new Sealer([lost]).seal('pw', 'site-settings/setting/ldap_manager_password');
    await projections.append(siteSettingsStream, secretSettingChanged('ldap_manager_password', value));
    const { status, lines } = await reseal();
    expect(status).toBe(1);
    lines.splice(0, 2, ...lines.slice(0, 2).toSorted());
    expect(lines).toEqual([
      expect.stringMatching(/^the password of account-7: .* its sealing key "lost" is not configured/),
      expect.stringMatching(/^the setting ldap_manager_password of site-settings: .* its sealing key "lost" is not/),
      'resealed 2 secrets with the key "k2"; 0 already had it',
      '2 problems. Keep the old keys until a run finds no problems',
    ]);
    expect(await keys()).toMatchObject([
      { key: 'k2', passwords: 1 },
      { key: 'lost', passwords: 1, settings: 1 },
    ]);
  });

  it('a concurrent password change and a concurrent deletion win', async () => {
    await register(7);
    await register(8);
    const password = { sealedHash: both.seal('changed', 'account-7/password'), timestamp: 1_768_500_000 };
    const context = { actor: 'test', correlation: 'test' };
    const meanwhile = new Map<string, () => Promise<unknown>>([
      ['account-7', () => newRunner().run(accountStream(7), { type: 'SetPassword', password }, context)],
      ['account-8', () => projections.append(accountStream(8), deleted('account 8'))],
    ]);
    const read = projections.store.readStreams.bind(projections.store);
    projections.store.readStreams = async (points) => {
      const found = await read(points);
      for (const { stream } of points) {
        const change = meanwhile.get(stream);
        meanwhile.delete(stream);
        await change?.();
      }
      return found;
    };
    expect((await reseal()).status).toBe(0);
    expect(meanwhile.size).toBe(0);
    expect(await keys()).toEqual([
      {
        key: 'k2',
        passwords: 1,
        twoFactorSecrets: 0,
        recoveryCodes: 0,
        staticTokens: 1,
        settings: 0,
        openlistPasswords: 0,
      },
    ]);
    const account = await rebuiltAccount(7);
    expect(fresh.open(account.sealedPasswordHash, 'account-7/password')).toBe('changed');
    expect(account.generation).toBe(2);
  });

  it('a stream that cannot be read makes both commands fail', async () => {
    await register(7);
    await projections.append(accountStream(7), { type: 'MoonLanded', v: 1, data: {} });
    const problem = expect.stringContaining('cannot fold commit 2 of stream account-7');
    expect(await reseal()).toMatchObject({ status: 1, lines: expect.arrayContaining([problem]) });
    const { status, lines } = await run((each) => showSealingKeys({ json: false }, each));
    expect({ status, lines }).toMatchObject({ status: 1, lines: expect.arrayContaining([problem]) });
  });

  it('status shows the keys in use, with the secrets and streams that need them', async () => {
    for (const id of [7, 8, 9, 10]) await register(id);
    const { lines } = await run((each) => showSealingKeys({ json: false }, each));
    expect(lines).toEqual([
      expect.stringMatching(/^key +passwords +two-factor +codes +openlist +token +settings +streams$/),
      expect.stringMatching(/^k1 +4 +0 +0 +0 +1 +0 +[\w, -]+…$/),
      expect.stringMatching(/^total +4 +0 +0 +0 +1 +0$/),
      'Sealing keys that are not listed are no longer needed.',
    ]);
  });
});
