/** The uses that an access token can be limited to, in the order in which tokens list them. */
export const accessTokenScopes = [
  'profile:read',
  'keys:manage',
  'accounts:read',
  'accounts:manage',
  'settings:read',
  'keys:look-up',
  'logins:verify',
] as const;
export type AccessTokenScope = (typeof accessTokenScopes)[number];

const OF_EVERYBODY: readonly AccessTokenScope[] = ['profile:read', 'keys:manage'];
const IMPLIED: Partial<Record<AccessTokenScope, AccessTokenScope>> = { 'accounts:manage': 'accounts:read' };

/** Returns whether only an administrator can give this scope to a token. */
export const isAdminScope = (scope: AccessTokenScope): boolean => !OF_EVERYBODY.includes(scope);

/** Returns whether a token with these scopes may do what `wanted` allows. Managing accounts includes reading them. */
export const grantsScope = (scopes: readonly AccessTokenScope[], wanted: AccessTokenScope): boolean =>
  scopes.some((scope) => scope === wanted || IMPLIED[scope] === wanted);
