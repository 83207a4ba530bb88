import { describe, expect, it } from 'vitest';
import { NOON } from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import {
  addKey,
  keyAdded,
  keyRemoved,
  keyRenamed,
  publicKey,
  removeKey,
  updateKey,
} from '../../testing/ssh-key-ring.events.js';
import { LAST_NUMBER } from '../kernel/numbered-ids.js';
import { BYTES_PER_RING, bytesOfKey, KEYS_PER_ACCOUNT, sshKeyRingDecider } from './ssh-key-ring.decider.js';

const [laptop, phone] = [publicKey('laptop'), publicKey('phone')];
const keys = (count: number) => Array.from({ length: count }, (_, i) => keyAdded(i + 1, `key ${i + 1}`));
const empty = given(sshKeyRingDecider);
const withLaptop = given(sshKeyRingDecider, keyAdded(1, 'laptop'));
const both = given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyAdded(2, 'phone'));
const full = given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT));

/** 66 keys, and the size of the comment with which a key "phone" fills the ring to the byte. */
const filling = keys(66).map(({ data: { title } }, i) =>
  keyAdded(i + 1, title, { ...publicKey(title), comment: 'c'.repeat(15_600) }),
);
const withComment = (bytes: number) => ({ ...phone, comment: 'c'.repeat(bytes) });
const rest =
  BYTES_PER_RING -
  stateAfter(sshKeyRingDecider, ...filling).bytes -
  bytesOfKey({ title: 'phone', key: withComment(0) });

describe('AddSshKey', () => {
  it('adds keys under increasing numbers', () => {
    empty.when(addKey('laptop', laptop)).thenEvents(keyAdded(1, 'laptop')).thenHolds();
    withLaptop.when(addKey('phone', phone)).thenEvents(keyAdded(2, 'phone'));
    given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT - 1))
      .when(addKey('key 1000', publicKey('key 1000')))
      .thenEvents(keyAdded(1000, 'key 1000'));
  });

  it('accepts title and key of a removed key, but never reuses its number', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyRemoved(1, laptop))
      .when(addKey('laptop', laptop))
      .thenEvents(keyAdded(2, 'laptop'));
    given(sshKeyRingDecider, ...keys(KEYS_PER_ACCOUNT), keyRemoved(5, publicKey('key 5')))
      .when(addKey('phone', phone))
      .thenEvents(keyAdded(1001, 'phone'));
  });

  it.each(['Laptop', 'laptop ', ' laptop'])('distinguishes the title %j from "laptop"', (title) => {
    withLaptop.when(addKey(title, phone)).thenEvents(keyAdded(2, title, phone));
  });

  it.each([
    ['ssh-key-title-taken', 'an existing title', withLaptop, addKey('laptop', phone)],
    ['ssh-key-invalid', 'a text that is not a key', empty, addKey('laptop', undefined)],
    ['ssh-key-taken', 'an existing key', withLaptop, addKey('phone', { ...laptop, comment: 'another' })],
    ['ssh-key-limit-reached', 'the 1001st key', full, addKey('phone', phone)],
    ['ssh-key-title-taken', 'the title before the invalid key', full, addKey('key 1', undefined)],
    ['ssh-key-title-taken', 'the title before the existing key', full, addKey('key 1', publicKey('key 1'))],
    ['ssh-key-invalid', 'the invalid key before the limit', full, addKey('phone', undefined)],
    ['ssh-key-taken', 'the existing key before the limit', full, addKey('phone', publicKey('key 1'))],
  ] as const)('refuses with %s: %s', (refusal, _what, ring, command) => {
    ring.when(command).thenRefused(refusal);
  });

  it('accepts a title of 1,024 bytes and refuses one of 1,025', () => {
    const title = 'ä'.repeat(512);
    empty.when(addKey(title, phone)).thenEvents(keyAdded(1, title, phone));
    empty.when(addKey(`${title}a`, phone)).thenRefused('ssh-key-title-too-long');
  });

  it('accepts keys of one mebibyte in total, including titles and comments, and not one byte more', () => {
    const filled = given(sshKeyRingDecider, ...filling);
    filled.when(addKey('phone', withComment(rest))).thenEvents(keyAdded(67, 'phone', withComment(rest)));
    filled.when(addKey('phone', withComment(rest + 1))).thenRefused('ssh-key-limit-reached');
  });

  it('refuses a key if the key numbers of the account are used up', () => {
    const add = (keysEver: number) =>
      sshKeyRingDecider.decide({ keys: [], keysEver, bytes: 0 }, addKey('phone', phone)).events;
    expect(add(LAST_NUMBER - 1)).toStrictEqual([keyAdded(LAST_NUMBER, 'phone')]);
    expect(() => add(LAST_NUMBER)).toThrow('ssh-key-limit-reached');
  });
});

describe('RemoveSshKey', () => {
  it('removes the key and records its fingerprint', () => {
    both.when(removeKey(1)).thenEvents(keyRemoved(1, laptop)).thenHolds();
  });

  it('refuses a key that never existed or was removed', () => {
    withLaptop.when(removeKey(2)).thenRefused('ssh-key-not-found');
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyRemoved(1, laptop))
      .when(removeKey(1))
      .thenRefused('ssh-key-not-found');
  });
});

describe('UpdateSshKey', () => {
  it('renames the key', () => {
    both
      .when(updateKey(1, { title: 'old laptop' }))
      .thenEvents(keyRenamed(1, 'old laptop'))
      .thenHolds();
  });

  it('changes nothing without a new title', () => {
    both.when(updateKey(1, {})).thenNothing();
    both.when(updateKey(1, { title: 'laptop' })).thenNothing();
  });

  it.each([
    ['ssh-key-title-taken', 'a title of another key', 1, 'phone'],
    ['ssh-key-title-too-long', 'a title of more than 1,024 bytes', 1, 'a'.repeat(1_025)],
    ['ssh-key-not-found', 'a key that the ring does not contain', 3, 'desk'],
  ] as const)('refuses with %s: %s', (refusal, _which, n, title) => {
    both.when(updateKey(n, { title })).thenRefused(refusal);
  });

  it('accepts the former title of a key for another one', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'), keyAdded(2, 'phone'), keyRenamed(1, 'old laptop'))
      .when(updateKey(2, { title: 'laptop' }))
      .thenEvents(keyRenamed(2, 'laptop'));
  });

  it('refuses a longer title in a ring of one mebibyte, but not a shorter one', () => {
    const filled = given(sshKeyRingDecider, ...filling, keyAdded(67, 'phone', withComment(rest)));
    filled.when(updateKey(67, { title: 'phones' })).thenRefused('ssh-key-limit-reached');
    filled.when(updateKey(67, { title: 'fones' })).thenEvents(keyRenamed(67, 'fones'));
  });
});

it('the state of a key ring lists the keys in the order of their addition, with their size, and also counts removed ones', () => {
  const [second, third] = [keyAdded(2, 'phone').data, { ...keyAdded(3, 'desk').data, title: 'large desk' }];
  const history = [
    keyAdded(1, 'laptop'),
    keyAdded(2, 'phone'),
    keyRemoved(1, laptop),
    keyAdded(3, 'desk'),
    keyRenamed(3, 'large desk'),
  ];
  const ring = stateAfter(sshKeyRingDecider, ...history);
  const bytes = bytesOfKey(second) + bytesOfKey(third);
  expect(ring).toStrictEqual({ keys: [second, third], keysEver: 3, bytes });
});

describe('ImportSshKeys', () => {
  const wanted = [
    { title: 'laptop', key: laptop, now: NOON },
    { title: 'phone', key: phone, now: NOON },
  ];

  it('adds all keys in one commit', () => {
    empty
      .when({ type: 'ImportSshKeys', accountId: 7, keys: wanted })
      .thenEvents(keyAdded(1, 'laptop'), keyAdded(2, 'phone'));
  });

  it('adds none if one of them repeats another', () => {
    const repeated = [...wanted, { title: 'again', key: phone, now: NOON }];
    empty.when({ type: 'ImportSshKeys', accountId: 7, keys: repeated }).thenRefused('ssh-key-taken');
  });
});
