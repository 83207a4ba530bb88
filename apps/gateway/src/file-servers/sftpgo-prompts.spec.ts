import { expect, it } from 'vitest';
import { PromptedLogins, QUESTIONS, SftpgoStandIns } from './sftpgo-prompts.js';

it('there is one echo setting for each question, and no answer is shown', () => {
  expect(QUESTIONS.echos).toHaveLength(QUESTIONS.questions.length);
  expect(QUESTIONS.echos).not.toContain(true);
});

const bob = { username: 'bob', address: '192.0.2.1' };
const eve = { username: 'eve', address: '192.0.2.2' };

it('a client is known once, to the login that named it', () => {
  const logins = new PromptedLogins();
  logins.keep('one', bob);
  logins.keep('two', eve);
  expect(logins.take('one')).toEqual(bob);
  expect(logins.take('one')).toBeUndefined();
  expect(logins.take('two')).toEqual(eve);
});

it('a client is forgotten after a minute', () => {
  let now = 1;
  const logins = new PromptedLogins(() => now);
  logins.keep('one', bob);
  logins.keep('two', eve);
  now += 60_000;
  expect(logins.take('one')).toEqual(bob);
  now += 1;
  expect(logins.take('two')).toBeUndefined();
});

it('at most 10,000 logins are kept, the latest', () => {
  const logins = new PromptedLogins();
  for (let i = 0; i <= 10_000; i++) logins.keep(`login-${i}`, { ...bob, username: `user-${i}` });
  expect(logins.take('login-0')).toBeUndefined();
  expect(logins.take('login-1')?.username).toBe('user-1');
  expect(logins.take('login-10000')?.username).toBe('user-10000');
});

it('at most 4 million letters of names are kept', () => {
  const logins = new PromptedLogins();
  for (let i = 0; i < 5_000; i++) logins.keep(`${i}`, { ...bob, username: 'x'.repeat(4_096) });
  const kept = Array.from({ length: 5_000 }, (_, i) => logins.take(`${i}`)).filter((each) => each !== undefined);
  expect(kept.length).toBeGreaterThan(1_000);
  expect(kept.length).toBeLessThan(1_024);
});

const names = Array.from({ length: 5_000 }, (_, i) => `user-${i}`);
const standInsOf = (standIns: SftpgoStandIns) => names.map((username) => standIns.standInFor({ ...bob, username }));

it('a name has one stand-in, and there are 256 of them for all names', () => {
  const standIns = new SftpgoStandIns();
  const given = standInsOf(standIns);
  expect(standInsOf(standIns)).toEqual(given);
  expect(new Set(given).size).toBe(256);
  for (const each of given) expect(each).toMatch(/^keyfold-nobody-\d{1,3}$/);
});

it('nobody can predict which names share a stand-in', () => {
  const [one, other] = [standInsOf(new SftpgoStandIns()), standInsOf(new SftpgoStandIns())];
  expect(one.filter((standIn, n) => standIn === other[n]).length).toBeLessThan(names.length / 50);
});

/** Returns two names and the stand-in that they share. */
function sharingNames(standIns: SftpgoStandIns): [string, string, string] {
  const nameOf = new Map<string, string>();
  for (const username of names) {
    const standIn = standIns.standInFor({ username, address: 'another' });
    const other = nameOf.get(standIn);
    if (other !== undefined) return [other, username, standIn];
    nameOf.set(standIn, username);
  }
  throw new Error('no two names share a stand-in');
}

it('the names behind a stand-in are told apart, by address and then from the latest on', () => {
  const standIns = new SftpgoStandIns();
  const [first, second, standIn] = sharingNames(standIns);
  for (const username of [first, second, first]) standIns.standInFor({ ...bob, username });
  standIns.standInFor({ ...eve, username: second });
  expect(standIns.nameBehind(standIn, eve.address)).toBe(second);
  expect([1, 2, 3].map(() => standIns.nameBehind(standIn, bob.address))).toEqual([first, second, first]);
  expect(standIns.nameBehind(standIn, bob.address)).toBe(standIn);
});

it('a user who is no stand-in has the own name, whoever waits', () => {
  const standIns = new SftpgoStandIns();
  standIns.standInFor(bob);
  expect(standIns.nameBehind('ann', bob.address)).toBe('ann');
});

it('a name behind a stand-in is forgotten after a minute, and when 1,000 later ones wait', () => {
  let now = 1;
  const standIns = new SftpgoStandIns(() => now);
  const standIn = standIns.standInFor(bob);
  now += 60_001;
  expect(standIns.nameBehind(standIn, bob.address)).toBe(standIn);
  standIns.standInFor(bob);
  for (let n = 0; n < 1_000; n++) standIns.standInFor({ ...eve, username: `${n}` });
  expect(standIns.nameBehind(standIn, bob.address)).toBe(standIn);
});
