/** What a secret is sealed for: a sealed value opens only at the place for which it was sealed. */
export const sealedFor = {
  password: (accountId: number) => `account-${accountId}/password`,
  twoFactor: (accountId: number) => `account-${accountId}/two-factor`,
  apiToken: 'site-settings/api-token',
} as const;
