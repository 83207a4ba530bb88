/** The contexts in which secrets are sealed. A sealed value opens only in the context in which it was sealed. */
export const sealingContext = {
  password: (accountId: number) => `account-${accountId}/password`,
  twoFactor: (accountId: number) => `account-${accountId}/two-factor`,
  recoveryCodes: (accountId: number) => `account-${accountId}/recovery-codes`,
  apiToken: 'site-settings/api-token',
  setting: (key: string) => `site-settings/setting/${key}`,
} as const;
