import { isoTime, type ListedSecret } from '@keyfold/application';
import type { NamedSecret } from '@keyfold/domain';

type Listed = Pick<
  ListedSecret<NamedSecret & { hash: string }>,
  'createdAt' | 'expiresAt' | 'lastUsedAt' | 'isExpired'
>;

/** Returns the times of an access token or an app password for programs: ISO 8601 timestamps, null for never. */
export const secretTimes = ({ createdAt, expiresAt, lastUsedAt, isExpired }: Listed) => ({
  created: isoTime(createdAt),
  expires: expiresAt === null ? null : isoTime(expiresAt),
  lastUsed: lastUsedAt === undefined ? null : isoTime(lastUsedAt * 1000),
  expired: isExpired,
});

/** Returns the same times as fields for people. */
export const secretTimeFields = ({ created, expires, lastUsed, expired }: ReturnType<typeof secretTimes>) => ({
  created,
  [expired ? 'expired' : 'expires']: expires ?? 'never',
  'last used': lastUsed ?? 'never',
});
