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
export type ParkedPage = Readonly<{ items: readonly Parked[]; total: number }>;

/** A reader of the feed. Its progress and what it has parked are in the store, so every gateway knows those of all workers. */
export type FeedReaderParts = Readonly<{
  name: string;
  /** The name of its checkpoints. */
  checkpoints: string;
  leases: StoreAdapters['leases'];
  kind: StoredKind;
  /** Returns some of what it has parked, the oldest first, and the number of all. */
  parked(offset: number, limit: number): Promise<ParkedPage>;
}>;

export const feedReaders = (stores: StoreAdapters): readonly FeedReaderParts[] => [
  {
    name: 'projector',
    checkpoints: projectorName,
    leases: stores.leases,
    kind: 'projection',
    parked: async (...page) => identified(await stores.readModels.parkedPage(...page), ({ stream }) => stream),
  },
  {
    name: relayName,
    checkpoints: relayName,
    leases: stores.relayLeases,
    kind: 'event',
    parked: async (...page) => identified(await stores.parkedRelays.page(...page), ({ partition }) => partition),
  },
  {
    name: openlistRelayName,
    checkpoints: openlistRelayName,
    leases: stores.leases,
    kind: 'openlist',
    parked: async (...page) => identified(await stores.parkedMirrors.page(...page), ({ partition }) => partition),
  },
];

const identified = <Entry extends Omit<Parked, 'id'>>(
  { items, total }: Readonly<{ items: readonly Entry[]; total: number }>,
  idOf: (entry: Entry) => string,
): ParkedPage => ({ items: items.map((each) => ({ ...each, id: idOf(each) })), total });
