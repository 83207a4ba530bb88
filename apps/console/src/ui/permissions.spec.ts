import { describe, expect, it } from 'vitest';
import { isPermitted, permissionsIn, roleName, withPermission } from './permissions.js';

describe('permissions', () => {
  it('have the bits of the wire contract', () => {
    expect(permissionsIn(0)).toEqual([]);
    expect(permissionsIn((1 << 3) | (1 << 8) | (1 << 15))).toEqual(['upload', 'readWebdav', 'chooseShareIds']);
    expect(isPermitted(1 << 11, 'writeFtp')).toBe(true);
  });

  it('are given and taken without a change of the other bits', () => {
    const odd = -2_147_483_648 | 1;
    expect(withPermission(odd, 'rename', true)).toBe(odd | (1 << 4));
    expect(withPermission(odd | (1 << 4), 'rename', false)).toBe(odd);
  });
});

it('an unknown role is shown as its number', () => {
  expect([0, 1, 2, 7].map(roleName)).toEqual(['General', 'Guest', 'Administrator', '7']);
});
