import type { Account } from '@keyfold/domain';

/** The password and the code of a login; the code is empty if none was given. */
export type GivenSecrets = Readonly<{ password: string; code: string }>;

/**
 * Separates the password from a one-time code. Clients of FTP and WebDAV have no field for a code, so it follows the password directly, but only if the
 * account has two-factor and the code was not asked for separately: then `code` is not undefined.
 */
export function givenSecrets(
  { password, code }: Readonly<{ password: string; code: string | undefined }>,
  account: Account | undefined,
): GivenSecrets {
  const [, before, digits] = /^(.*)(\d{6})$/s.exec(password) ?? [];
  if (code !== undefined || !account?.twoFactor || before === undefined || digits === undefined)
    return { password, code: code ?? '' };
  return { password: before, code: digits };
}
