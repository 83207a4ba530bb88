import type { AccountFields } from '@keyfold/domain';

/** The fields of an account that an administrator sends. An empty `password` means that none was given. */
export type AccountInput = AccountFields & Readonly<{ username: string; password: string }>;
