import { Projection, Projector, StreamLoader } from '@keyfold/projections';
import type { OperatorPorts } from '../operator/operator-ports.js';

/** A store that was opened for one command of an operator. */
export type OperatorStore = Readonly<{ ports: OperatorPorts; close(): Promise<void> }>;

/**
 * `prepare`: makes the collections and indexes that are missing; else they must be there. `sessionDays`: how long sessions are kept
 * after their token has expired.
 */
export type SharedStoreOptions = Readonly<{ prepare: boolean; leaseMilliseconds: number; sessionDays: number }>;

type Adapters = Pick<OperatorPorts, 'store' | 'readModels' | 'leases' | 'relayLeases' | 'parkedRelays'>;

/** The ports of a process that exists for one command. */
export function operatorPorts(
  adapters: Adapters,
  options: Readonly<{ isAlone: boolean; sessionDays: number; leaseMilliseconds?: number }>,
): OperatorPorts {
  const { store, readModels, leases } = adapters;
  const { isAlone, sessionDays, leaseMilliseconds } = options;
  const lease = leaseMilliseconds === undefined ? {} : { leaseMilliseconds };
  const projection = new Projection(new StreamLoader(store, readModels), readModels, Date.now);
  return {
    ...adapters,
    projection,
    newProjector: (onError) => new Projector(store, projection, leases, onError, lease),
    isAlone,
    sessionDays,
    now: Date.now,
  };
}
