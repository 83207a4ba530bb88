import { hash } from 'node:crypto';

/**
 * The form in which clients send a password (wire contract 2.1): lower-case hex SHA-256 of the password's UTF-8 and a fixed
 * suffix. It opens the account as the password does, so it is treated as one: never logged, never stored bare.
 */
export function staticHash(password: string): string {
  // Bytes that were no UTF-8 stay apart; as UTF-8 they would all be the same letter.
  const text = password + SUFFIX;
  return hash('sha256', text.isWellFormed() ? text : Buffer.from(text, 'utf16le'), 'hex');
}

// compat: the address of the project that OpenList came from; every client has it built in.
const SUFFIX = '-https://github.com/alist-org/alist';
