import { afterAll } from 'vitest';
import { TcpProxy } from '../tcp-proxy.js';
import { ReplicaSet } from './replica-set.js';

/**
 * Starts a replica set of one node behind a proxy for all tests of a file, and stops both after them. Call it at the
 * top level of the file.
 */
export async function proxiedMongod(): Promise<{ set: ReplicaSet; proxy: TcpProxy }> {
  const set = await ReplicaSet.start(1);
  afterAll(() => set.stop());
  const proxy = await TcpProxy.start(set.node(0).port);
  afterAll(() => proxy.close());
  return { set, proxy };
}
