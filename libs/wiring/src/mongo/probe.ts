import mongoose from 'mongoose';

/** The replica set of a server, whether it is initiated, and which one the connection string names (`wanted`). */
export type Probed = Readonly<{
  host: string;
  setName: string | undefined;
  initiated: boolean;
  wanted: string | undefined;
}>;

/** How long each server may take to respond (milliseconds). */
const PROBE_TIMEOUT = 1_000;

/**
 * Queries the hosts of a connection string directly and without credentials, because the driver does not report why it skips a server.
 * Returns the first response, or undefined if no host responds.
 */
export async function probe(uri: string): Promise<Probed | undefined> {
  const [, hosts, query = ''] = /^mongodb:\/\/(?:[^@]*@)?([^/]+)\/[^?]*\??(.*)$/.exec(uri) ?? [];
  // With +srv the hosts come from DNS, which reports wrong names.
  if (hosts === undefined) return undefined;
  const options = new URLSearchParams(query);
  const wanted = options.get('replicaSet') ?? undefined;
  const transport = new URLSearchParams([...options].filter(([name]) => /^(?:tls|ssl)/i.test(name)));
  for (const host of hosts.split(',')) {
    const hello = await helloOf(`mongodb://${host}/?${transport.toString()}`);
    if (hello) return { host, setName: hello.setName, initiated: hello.isreplicaset !== true, wanted };
  }
  return undefined;
}

/** `isreplicaset` without `setName`: started with --replSet but not initiated. */
type Hello = { setName?: string; isreplicaset?: boolean };

async function helloOf(uri: string): Promise<Hello | undefined> {
  const client = new mongoose.mongo.MongoClient(uri, {
    directConnection: true,
    serverSelectionTimeoutMS: PROBE_TIMEOUT,
    connectTimeoutMS: PROBE_TIMEOUT,
    socketTimeoutMS: PROBE_TIMEOUT,
    waitQueueTimeoutMS: PROBE_TIMEOUT,
    readPreference: 'nearest',
  });
  try {
    await client.connect();
    return (await client.db('admin').command({ hello: 1 })) as Hello;
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}
