import { describe, expect, it } from 'vitest';
import type { Envelope, ListedKey } from '../support/account-client.js';
import { KeyLedger } from './key-ledger.js';
import { keyLine } from '../support/key-line.js';

const done: Envelope = { code: 200, message: 'success', data: null };
const titleTaken: Envelope = { code: 500, message: 'key with the same title already exists', data: null };
const away: Envelope = { code: 503, message: 'the store is not available', data: null };
const [mine, rivals] = [keyLine('mine'), keyLine('rivals')];
const listed = (id: number, title: string, { fingerprint } = mine): ListedKey => ({ id, title, fingerprint });

const laptop = listed(1, 'laptop');
/** An add that was refused because a rival, whose add is unanswered, got the title. */
const beaten = [
  [mine, titleTaken],
  [rivals, undefined],
] as const;

/** Returns the violations after adds of the title `laptop` were answered like this and these lists were shown. */
function violationsOf(
  adds: readonly (readonly [typeof mine, Envelope | undefined])[],
  ...lists: (readonly ListedKey[])[]
): string[] {
  const ledger = new KeyLedger('ann');
  for (const [key] of adds) ledger.adding('laptop', key);
  for (const [key, answer] of adds) ledger.added('laptop', key, answer);
  for (const list of lists) ledger.compare(list);
  return ledger.violations;
}

describe('a ledger of acknowledged keys', () => {
  it('accepts every acknowledged key listed once', () => {
    expect(violationsOf([[mine, done]], [laptop])).toEqual([]);
  });

  it('accepts either outcome of an unanswered add, once it is known', () => {
    expect(violationsOf([[mine, undefined]], [], [])).toEqual([]);
    expect(violationsOf([[mine, undefined]], [laptop], [laptop])).toEqual([]);
  });

  it.each([
    ['an acknowledged key is missing', [[mine, done]], [[]], 'was acknowledged but'],
    ['a known key is missing later', [[mine, undefined]], [[laptop], []], 'was acknowledged but'],
    ['an unanswered key appears late', [[mine, undefined]], [[], [laptop]], 'removed, or never added'],
    ['a title was added twice', [mine, rivals].map((key) => [key, done] as const), [[laptop]], 'although it existed'],
    ['a taken title is not listed', beaten, [[]], 'was acknowledged but'],
    ['a refused key is listed', beaten, [[laptop]], "another client's key"],
    ['a title is listed twice', [[mine, done]], [[laptop, listed(2, 'laptop')]], 'a title is listed twice'],
    ['a key is listed twice', [[mine, done]], [[laptop, listed(2, 'phone')]], 'a key is listed twice'],
    ['a key was never sent', [], [[laptop]], 'was never sent'],
    ['an answer is unexpected', [[mine, away]], [[]], 'was answered with 503'],
  ] as const)('detects that %s', (_, adds, lists, sentence) => {
    expect(violationsOf(adds, ...lists).join('\n')).toContain(sentence);
  });

  it('detects that a removed key is back and that its id was reused', () => {
    const ledger = new KeyLedger('ann');
    for (const [title, key] of [
      ['laptop', mine],
      ['phone', rivals],
    ] as const) {
      ledger.adding(title, key);
      ledger.added(title, key, done);
      ledger.compare([listed(1, title, key)]);
      ledger.removed(title, done);
    }
    expect(ledger.violations).toEqual(['ann: the id of phone belonged to another key']);
    ledger.compare([listed(1, 'phone', rivals)]);
    expect(ledger.violations.at(-1)).toContain('phone is listed but was removed');
  });
});
