import { randomInt } from 'node:crypto';

export const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` cryptographically random letters and digits. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join('');
