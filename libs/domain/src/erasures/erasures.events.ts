import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** The operator erases a deleted account: its commits become void. `erasedAt` is in unix milliseconds. Nothing here names the person. */
export type AccountErased = DomainEvent<'AccountErased', { accountId: number; erasedAt: number }, undefined>;

/** A backup was made in a folder of a host for the first time. `madeAt` is in unix milliseconds. */
export type BackupMade = DomainEvent<'BackupMade', { folder: string; host: string; madeAt: number }, undefined>;

export type ErasuresEvent = AccountErased | BackupMade;

export const erasuresUpcasters: Upcasters<ErasuresEvent['type']> = { AccountErased: [], BackupMade: [] };
