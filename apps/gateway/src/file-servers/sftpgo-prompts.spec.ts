import { expect, it } from 'vitest';
import { PromptedAddresses, QUESTIONS, SftpgoStandIns } from './sftpgo-prompts.js';

it('there is one echo setting for each question, and no answer is shown', () => {
  expect(QUESTIONS.echos).toHaveLength(QUESTIONS.questions.length);
  expect(QUESTIONS.echos).not.toContain(true);
});

it('an address is known once, to the login that named it', () => {
  const addresses = new PromptedAddresses();
  addresses.keep('one', '192.0.2.1');
  addresses.keep('two', '192.0.2.2');
  expect(addresses.take('one')).toBe('192.0.2.1');
  expect(addresses.take('one')).toBeUndefined();
  expect(addresses.take('two')).toBe('192.0.2.2');
});

it('an address is forgotten after a minute', () => {
  let now = 1;
  const addresses = new PromptedAddresses(() => now);
  addresses.keep('one', '192.0.2.1');
  addresses.keep('two', '192.0.2.2');
  now += 60_000;
  expect(addresses.take('one')).toBe('192.0.2.1');
  now += 1;
  expect(addresses.take('two')).toBeUndefined();
});

it('at most 10,000 addresses are kept, the latest', () => {
  const addresses = new PromptedAddresses();
  for (let i = 0; i <= 10_000; i++) addresses.keep(`login-${i}`, `address-${i}`);
  expect(addresses.take('login-0')).toBeUndefined();
  expect(addresses.take('login-1')).toBe('address-1');
  expect(addresses.take('login-10000')).toBe('address-10000');
});

const names = Array.from({ length: 5_000 }, (_, i) => `user-${i}`);

it('a name has one stand-in, and there are 256 of them for all names', () => {
  const standIns = new SftpgoStandIns();
  const given = names.map((name) => standIns.nameFor(name));
  expect(names.map((name) => standIns.nameFor(name))).toEqual(given);
  expect(new Set(given).size).toBe(256);
  for (const each of given) expect(each).toMatch(/^keyfold-nobody-\d{1,3}$/);
});

it('nobody can predict which names share a stand-in', () => {
  const [one, other] = [new SftpgoStandIns(), new SftpgoStandIns()];
  const same = names.filter((name) => one.nameFor(name) === other.nameFor(name));
  expect(same.length).toBeLessThan(names.length / 50);
});
