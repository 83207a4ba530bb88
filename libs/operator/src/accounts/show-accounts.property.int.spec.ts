import { randomInt } from 'node:crypto';
import { DomainError, type AccountCommand } from '@keyfold/domain';
import { sshKeyRingStream, sshKeyUseStream } from '@keyfold/projections';
import { expect, it } from 'vitest';
import { changeAccount, registerAccount, updateAccount } from '../../../application/testing/accounts.js';
import { EmbeddedService } from '../../../application/testing/embedded-service.js';
import {
  deleteAccount,
  disableTwoFactor,
  enableTwoFactor,
  lockTwoFactor,
  startEnrolment,
} from '../../../domain/testing/account.commands.js';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { seededRandom } from '../../../../test/fault/seeded-random.js';
import type { CommandRun } from '../command-run.js';
import { showAccount } from './show-accounts.js';

const ANN = 7;
const MOMENTS = 1_000;
const CHANGES = 400;
/** Milliseconds; each moment reads the whole history. */
const TIMEOUT = 120_000;
const CONTEXT = { actor: 'test', correlation: 'test' };

/** The expected state of Ann's account, kept by the simplest means. */
type Model = {
  status: string;
  username?: string;
  permission?: number;
  disabled?: boolean;
  passwordChanged?: string;
  twoFactor?: string;
  keys: { id: number; title: string; added: string; lastUsed: string | null }[];
};

it(
  'the account at any past moment is what a model of it was at that moment, and shows no secret',
  async () => {
    const seed = randomInt(2 ** 31);
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    const service = new EmbeddedService();
    const from = service.clock.now() - 1_000;
    const past = await play(service, random);
    const length = service.clock.now() + 1_000 - from;
    for (let n = 0; n < MOMENTS; n++) {
      // Half of the moments are those of a change.
      const change = past[Math.floor(random() * past.length)]!;
      const at = n % 2 === 0 ? change.at : from + Math.floor(random() * length);
      const expected = past.findLast((moment) => moment.at <= at)?.model ?? { status: 'not yet created', keys: [] };
      const text = await shownAt(service, at);
      const shown = JSON.parse(text) as Model;
      const keys = shown.keys.map(({ id, title, added, lastUsed }) => ({ id, title, added, lastUsed }));
      expect({ ...shown, keys }, `at ${at}, seed ${seed}`).toMatchObject(expected);
      expect(text).not.toMatch(/sealed|k1\./);
    }
  },
  TIMEOUT,
);

it('the account at a moment contains what an earlier commit of its stream with a clock ahead changed', async () => {
  const service = new EmbeddedService();
  await registerAccount(service, ANN, 'ann');
  service.clock.advance(60_000);
  await updateAccount(service, ANN, { permission: 1 });
  service.clock.advance(-50_000);
  await updateAccount(service, ANN, { username: 'anna' });
  expect(JSON.parse(await shownAt(service, service.clock.now()))).toMatchObject({ permission: 1, username: 'anna' });
  expect(JSON.parse(await shownAt(service, service.clock.now() - 1))).toMatchObject({ permission: 0, username: 'ann' });
});

async function shownAt(service: EmbeddedService, at: number): Promise<string> {
  const lines: string[] = [];
  const write = async (line: string) => void lines.push(line);
  const run = {
    ports: { store: service.folder.store },
    output: { out: write, err: write },
    signal: new AbortController().signal,
  } as unknown as CommandRun;
  expect(await showAccount({ id: ANN, at, json: true }, run).catch(String)).toBe(lines[0]?.startsWith('{') ? 0 : 1);
  return lines[0]!;
}

/** Changes the account at random, and returns the model after each change. Several changes can share a millisecond. */
async function play(service: EmbeddedService, random: () => number): Promise<{ at: number; model: Model }[]> {
  const { clock, runner } = service;
  const pick = <Item>(...items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const time = (at = clock.now()) => new Date(at).toISOString();
  const change = (command: AccountCommand) => changeAccount(service, ANN, command);
  await registerAccount(service, ANN, 'ann');
  let model: Model = {
    status: 'active',
    username: 'ann',
    permission: 0,
    disabled: false,
    passwordChanged: time(Math.floor(clock.now() / 1_000) * 1_000),
    twoFactor: 'off',
    keys: [],
  };
  let [enrolment, added, step] = [0, 0, 0];
  const moments = [{ at: clock.now(), model }];
  const actions: Record<string, () => Promise<Partial<Model>>> = {
    async rename() {
      const username = `ann${moments.length}`;
      await updateAccount(service, ANN, { username });
      return { username };
    },
    async permit() {
      const permission = Math.floor(random() * 100);
      await updateAccount(service, ANN, { permission });
      return { permission };
    },
    async disable() {
      await updateAccount(service, ANN, { disabled: !model.disabled });
      return { disabled: !model.disabled };
    },
    async setPassword() {
      await updateAccount(service, ANN, { password: `password ${moments.length}` });
      return { passwordChanged: time(Math.floor(clock.now() / 1_000) * 1_000) };
    },
    async enableTwoFactor() {
      clock.advance(600_000);
      await change(startEnrolment((enrolment += 1), clock.now()));
      await change(enableTwoFactor(enrolment, (step += 1), clock.now()));
      return { twoFactor: model.twoFactor === 'locked' ? 'locked' : 'on' };
    },
    async disableTwoFactor() {
      await change(disableTwoFactor);
      return { twoFactor: 'off' };
    },
    async lockTwoFactor() {
      await change(lockTwoFactor);
      return { twoFactor: model.twoFactor === 'off' ? 'off' : 'locked' };
    },
    async addKey() {
      const title = `key ${(added += 1)}`;
      const [key, now] = [publicKey(title), clock.now()];
      await runner.run(sshKeyRingStream(ANN), { type: 'AddSshKey', accountId: ANN, title, key, now }, CONTEXT);
      return { keys: [...model.keys, { id: ANN * 2 ** 20 + added, title, added: time(), lastUsed: null }] };
    },
    async removeKey() {
      const { id } = pick(...model.keys) ?? { id: 0 };
      if (id === 0) return {};
      await runner.run(sshKeyRingStream(ANN), { type: 'RemoveSshKey', keyId: id }, CONTEXT);
      return { keys: model.keys.filter((key) => key.id !== id) };
    },
    async useKey() {
      const used = pick(...model.keys);
      const usedAt = clock.now();
      if (!used || (used.lastUsed !== null && usedAt < Date.parse(used.lastUsed) + 600_000)) return {};
      await runner.run(sshKeyUseStream(ANN), { type: 'RecordSshKeyUse', keyId: used.id, usedAt }, CONTEXT);
      return { keys: model.keys.map((key) => (key === used ? { ...key, lastUsed: time(usedAt) } : key)) };
    },
  };
  for (let n = 0; n < CHANGES; n++) {
    clock.advance(pick(0, 1, 7_000, 900_000));
    model = { ...model, ...(await pick(...Object.values(actions))()) };
    moments.push({ at: clock.now(), model });
  }
  clock.advance(1_000);
  await change(deleteAccount);
  await expect(updateAccount(service, ANN, { permission: 1 })).rejects.toThrow(DomainError);
  moments.push({ at: clock.now(), model: { status: 'deleted', keys: [] } });
  return moments;
}
