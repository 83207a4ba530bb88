import { expect, it } from 'vitest';
import { SftpgoStandIns } from './sftpgo-stand-ins.js';

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
