import type { ListedSshKey } from '@keyfold/application';

/** Returns the unexpired keys as the text of an `authorized_keys` file (sshd(8)): one line for each, with its title as the comment. */
export const authorizedKeysText = (
  keys: readonly Pick<ListedSshKey, 'type' | 'blob' | 'title' | 'expired'>[],
): string =>
  keys
    .filter(({ expired }) => !expired)
    .map(({ type, blob, title }) => `${type} ${blob} ${commentOf(title)}`.trimEnd() + '\n')
    .join('');

/** Characters that end a line for some program, end a C string, or hide on a screen what a line contains. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** The line begins with the key, so whatever follows is a comment, unless it begins another line. */
const commentOf = (title: string) => title.replaceAll(UNSAFE, ' ').trim();
