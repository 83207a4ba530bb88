import type { AccountFields } from '@keyfold/domain';

/** An account as an administrator writes it; an empty password means none. */
export type WrittenAccount = AccountFields & Readonly<{ username: string; password: string }>;
