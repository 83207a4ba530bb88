import mongoose from 'mongoose';

/** What a server says of itself: its replica set, whether that was initiated, and which one the address asks for. */
export type Probed = Readonly<{
  host: string;
  setName: string | undefined;
  initiated: boolean;
  wanted: string | undefined;
}>;

/** How long one server may take to answer (milliseconds). */
const PROBE_TIMEOUT = 1_000;

/**
 * Asks the hosts of an address one by one who they are, without its user and whatever their replica set, because the driver does not
 * tell why it passed over a server. The first that answers counts; undefined when none does.
 */
export async function probe(uri: string): Promise<Probed | undefined> {
  const [, hosts, query = ''] = /^mongodb:\/\/(?:[^@]*@)?([^/]+)\/[^?]*\??(.*)$/.exec(uri) ?? [];
  // With +srv the hosts come by DNS, and wrong names show there.
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

/** `isreplicaset` without `setName`: started with --replSet, never initiated. */
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
