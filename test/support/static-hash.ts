import { createHash } from 'node:crypto';

/** Computes what front ends send instead of a password (wire contract 2.1), without the server's own function. */
export const staticHash = (password: string) =>
  createHash('sha256').update(`${password}-https://github.com/alist-org/alist`).digest('hex');
