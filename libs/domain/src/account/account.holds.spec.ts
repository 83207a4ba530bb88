import { describe, expect, it } from 'vitest';
import { nameHashOf } from '../../testing/account.events.js';
import {
  oneTimeCodeHold,
  parseUsernameHold,
  releasedNameHold,
  usernameHold,
  usernameHoldPrefix,
} from './account.holds.js';

const ann = nameHashOf('ann');

describe('the holds of a name', () => {
  it('sort in byte order by turn, each release after its turn', () => {
    const inOrder = [1, 2, 9, 10, 99, 1_000_000].flatMap((turn) => [
      usernameHold(ann, turn).key,
      releasedNameHold(ann, turn).key,
    ]);
    const sorted = inOrder.map((key) => Buffer.from(key)).toSorted(Buffer.compare);
    expect(sorted.map(String)).toStrictEqual(inOrder);
  });

  it('start with the prefix of the name', () => {
    expect(usernameHold(ann, 1).key.startsWith(usernameHoldPrefix(ann))).toBe(true);
    expect(releasedNameHold(ann, 1).key.startsWith(usernameHoldPrefix(ann))).toBe(true);
  });

  it('contain the turn and whether the name was released', () => {
    expect(parseUsernameHold(usernameHold(ann, 12).key)).toStrictEqual({ turn: 12, released: false });
    expect(parseUsernameHold(releasedNameHold(ann, 12).key)).toStrictEqual({ turn: 12, released: true });
  });
});

describe('the hold of a one-time code', () => {
  it('names account, enrolment and step, and has the refusal that its caller chose', () => {
    expect(oneTimeCodeHold(7, 2, 58_949_280, 'one-time-code-invalid-at-login')).toStrictEqual({
      key: 'otp:7:2:58949280',
      takenError: 'one-time-code-invalid-at-login',
    });
  });
});
