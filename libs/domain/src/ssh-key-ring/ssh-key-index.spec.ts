import { describe, expect, it } from 'vitest';
import { stateAfter } from '../../testing/decider-specification.js';
import { keyAdded, keyRemoved, publicKey } from '../../testing/ssh-key-ring.events.js';
import { hasFingerprint, hasTitle, sizeOfKeys, withKey } from './ssh-key-index.js';
import { sshKeyRingDecider } from './ssh-key-ring.decider.js';

const laptop = keyAdded(1, 'laptop').data;
const phone = keyAdded(2, 'phone').data;
const desk = keyAdded(2, 'desk').data;
const fingerprintOf = (title: string) => publicKey(title).fingerprint;

describe('a ring with one more key', () => {
  it('has the texts of the old keys and of the new one', () => {
    const keys = [laptop];
    expect(hasTitle(keys, 'phone')).toBe(false);
    const longer = withKey(keys, phone);
    expect(['laptop', 'phone', 'desk'].map((title) => hasTitle(longer, title))).toEqual([true, true, false]);
    const fingerprints = ['laptop', 'phone', 'desk'].map(fingerprintOf);
    expect(fingerprints.map((text) => hasFingerprint(longer, text))).toEqual([true, true, false]);
  });

  it('leaves the ring before it as it was', () => {
    const keys = [laptop];
    expect(hasTitle(keys, 'laptop')).toBe(true);
    const withPhone = withKey(keys, phone);
    const withDesk = withKey(keys, desk);
    expect([keys, withPhone, withDesk].map((each) => hasTitle(each, 'phone'))).toEqual([false, true, false]);
    expect([keys, withPhone, withDesk].map((each) => hasTitle(each, 'desk'))).toEqual([false, false, true]);
    expect(keys).toEqual([laptop]);
  });

  it('is as large as the same keys counted afresh', () => {
    const keys = [laptop];
    sizeOfKeys(keys);
    expect(sizeOfKeys(withKey(keys, phone))).toEqual(sizeOfKeys([laptop, phone]));
  });
});

it('a ring forgets title, fingerprint and size of a removed key', () => {
  const both = stateAfter(sshKeyRingDecider, keyAdded(1, 'laptop'), keyAdded(2, 'phone'));
  expect(hasTitle(both.keys, 'phone')).toBe(true);
  const { keys } = sshKeyRingDecider.evolve(both, keyRemoved(2, publicKey('phone')));
  expect([hasTitle(keys, 'phone'), hasFingerprint(keys, fingerprintOf('phone'))]).toEqual([false, false]);
  expect(sizeOfKeys(keys)).toEqual(sizeOfKeys([laptop]));
});
