import { hash } from 'node:crypto';

/**
 * Returns the static hash of a password, which clients may send instead (wire contract 2.1): the lower-case hex SHA-256 of its UTF-8 and a
 * fixed suffix. It opens the account like the password itself, so never log it and never store it in plain.
 */
export function staticHash(password: string): string {
  // Unpaired surrogates stand for malformed UTF-8. Encoded as UTF-8, they would all become U+FFFD.
  const text = password + SUFFIX;
  return hash('sha256', text.isWellFormed() ? text : Buffer.from(text, 'utf16le'), 'hex');
}

// compat: the URL of the project that OpenList was forked from. It is built into every client.
const SUFFIX = '-https://github.com/alist-org/alist';
