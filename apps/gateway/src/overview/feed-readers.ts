import { openlistRelayName, relayName } from '@keyfold/messaging';
import { projectorName } from '@keyfold/projections';
import type { StoreAdapters } from '@keyfold/wiring';

/** Injects the address of the OpenList behind the gateway; undefined if there is none. */
export const OPENLIST_URL = Symbol('the address of OpenList');

/** Kinds of what is parked in the store, in the order in which it is listed. */
export const STORED_KINDS = ['projection', 'event', 'openlist'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/** Something that waits until somebody acts. `at` is in unix milliseconds. */
export type Parked = Readonly<{ id: string; partition: string; at: number; error: string }>;

/** A reader of the feed. Its progress and what it has parked are in the store, so every gateway knows those of all workers. */
export type FeedReaderParts = Readonly<{
  name: string;
  /** The name of its checkpoints. */
  checkpoints: string;
  leases: StoreAdapters['leases'];
  kind: StoredKind;
  parked(): Promise<readonly Parked[]>;
}>;

export const feedReaders = (stores: StoreAdapters): readonly FeedReaderParts[] => [
  {
    name: 'projector',
    checkpoints: projectorName,
    leases: stores.leases,
    kind: 'projection',
    parked: async () => (await stores.readModels.parked()).map((each) => ({ ...each, id: each.stream })),
  },
  {
    name: relayName,
    checkpoints: relayName,
    leases: stores.relayLeases,
    kind: 'event',
    parked: async () => (await stores.parkedRelays.all()).map((each) => ({ ...each, id: each.partition })),
  },
  {
    name: openlistRelayName,
    checkpoints: openlistRelayName,
    leases: stores.leases,
    kind: 'openlist',
    parked: async () => (await stores.parkedMirrors.all()).map((each) => ({ ...each, id: each.partition })),
  },
];
