import { describe, expect, it } from 'vitest';
import { accessTokenScopes, grantsScope, isAdminScope } from './access-token-scopes.js';

describe('a scope', () => {
  it('grants itself and nothing else, except that managing accounts includes reading them', () => {
    const granted = accessTokenScopes.flatMap((scope) =>
      accessTokenScopes.filter((wanted) => grantsScope([scope], wanted)).map((wanted) => `${scope} ${wanted}`),
    );
    expect(granted.toSorted()).toEqual(
      [...accessTokenScopes.map((scope) => `${scope} ${scope}`), 'accounts:manage accounts:read'].toSorted(),
    );
    expect(accessTokenScopes.some((wanted) => grantsScope([], wanted))).toBe(false);
  });

  it('is for administrators unless it concerns the own account only', () => {
    expect(accessTokenScopes.filter((scope) => !isAdminScope(scope))).toEqual(['profile:read', 'keys:manage']);
  });
});
