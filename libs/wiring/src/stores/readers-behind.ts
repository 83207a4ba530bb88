import type { FeedLeases } from '@keyfold/event-store';
import { relayName, type ParkedAccounts } from '@keyfold/messaging';
import type { ReadersBehind } from '@keyfold/projections';

/** Returns the readers of the feed that must have read a session before it can be compacted. */
export const readersBehind = ({
  leases,
  relayLeases,
  parkedRelays,
}: Readonly<{ leases: FeedLeases; relayLeases: FeedLeases; parkedRelays: ParkedAccounts }>): ReadersBehind => ({
  leases,
  relay: { name: relayName, leases: relayLeases, parked: parkedRelays },
});
