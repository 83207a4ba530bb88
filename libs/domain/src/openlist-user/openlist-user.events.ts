import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A user of OpenList has become the mirror of an account, with this password. `userId` is its id there. */
export type OpenListUserLinked = DomainEvent<
  'OpenListUserLinked',
  { accountId: number; userId: number },
  { password: string }
>;

export type OpenListUserEvent = OpenListUserLinked;

export const openlistUserUpcasters: Upcasters<OpenListUserEvent['type']> = { OpenListUserLinked: [] };
