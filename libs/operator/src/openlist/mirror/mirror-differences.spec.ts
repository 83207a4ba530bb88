import { absentAccount, sshKeyRingDecider, type Account } from '@keyfold/domain';
import { mirrorOf, type FoundKey, type FoundUser } from '@keyfold/openlist';
import { describe, expect, it } from 'vitest';
import { keyAdded, publicKey } from '../../../../domain/testing/ssh-key-ring.events.js';
import { stateAfter } from '../../../../domain/testing/decider-specification.js';
import { guestDifferences, mirrorDifferences } from './mirror-differences.js';

const NOW = 1_000;
const account: Account = { ...absentAccount, status: 'active', accountId: 7, username: 'ann', basePath: '/ann' };
const ring = stateAfter(sshKeyRingDecider, keyAdded(1, 'laptop'));
const wanted = { account, password: 'secret', ring };
const user: FoundUser = { id: 3, ...mirrorOf(account, 'secret') };
const laptop: FoundKey = { id: 1, title: 'laptop', fingerprint: publicKey('laptop').fingerprint };

describe('a mirror', () => {
  it('that equals its account has no difference', () => {
    expect(mirrorDifferences({ user, keys: [laptop] }, wanted, NOW)).toEqual([]);
  });

  it('is compared in every field, and in its password by the mark', () => {
    const changed = { username: 'bea', base_path: '/', role: 2, disabled: true, permission: 1 };
    expect(mirrorDifferences({ user: { ...user, ...changed }, keys: [laptop] }, wanted, NOW)).toEqual([
      'differs in name, base path, role, disabled flag, permissions',
    ]);
    expect(mirrorDifferences({ user, keys: [laptop] }, { ...wanted, password: 'other' }, NOW)).toEqual([
      'differs in password, by its mark',
    ]);
  });

  it('may neither lack a key nor have another one', () => {
    const phone = { id: 2, title: 'phone', fingerprint: publicKey('phone').fingerprint };
    expect(mirrorDifferences({ user, keys: [phone] }, wanted, NOW)).toEqual([
      'lacks the SSH key "laptop"',
      'has the SSH key "phone", which the account does not have',
    ]);
  });

  it('that is disabled is not compared in its keys', () => {
    const disabled = { ...account, disabled: true };
    const found = { user: { ...user, disabled: true }, keys: [] };
    expect(mirrorDifferences(found, { ...wanted, account: disabled }, NOW)).toEqual([]);
  });
});

it('the guest of OpenList is compared in its rights', () => {
  const guest = { ...user, username: 'guest', role: 1, sso_id: '' };
  expect(guestDifferences(guest, account)).toEqual([]);
  expect(guestDifferences({ ...guest, permission: 1, disabled: true }, account)).toEqual([
    'differs in disabled flag, permissions',
  ]);
});
