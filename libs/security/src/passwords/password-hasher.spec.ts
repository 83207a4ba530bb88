import { expect, test } from 'vitest';
import { staticHash } from './password-hasher.js';

// The examples of wire contract 2.1.
test.each([
  ['admin', '6fcb57cd10b2c11d765dcf16148d99130afd895082af83725ee8bb181b1d2b0f'],
  ['guest', '58dbc53287db56c2f3d2c1ff16620af6d6cc4a09ae5109620f2162313f345ec2'],
  ['', '263d6a3a1bc3780769ef456641d81a41ea52b66dd25fe02b5959967fd852127d'],
])('the static hash of %j is %s', (password, expected) => {
  expect(staticHash(password)).toBe(expected);
});
