import { randomUUID } from 'node:crypto';
import { Child } from '../child.mjs';
import { CLIENTS, KEYS_LISTED } from '../stage.mjs';
import { drop } from './database.mjs';
import { populate } from './population.mjs';
import { startGateway } from './processes.mjs';

/** Prepares everything for the measurements on one mongod: a gateway, the minimal service and signed-in accounts. */
export async function setStage(server, passes) {
  const uri = server.uri('keyfold');
  // In each pass, one client and all clients add keys, starting with equal rings.
  const adders = (CLIENTS + 1) * passes;
  const accounts = await populate(uri, CLIENTS + adders, KEYS_LISTED);
  const documents = Array.from({ length: CLIENTS }, (_, index) => bareDocument(index));
  const bare = new Child('./scaled/bare-service.mjs');
  const port = await bare.ask({ uri: server.uri('bare'), documents });
  const gateway = await startGateway(uri);
  const generator = new Child('./generator.mjs');
  return {
    server,
    uri,
    gateway,
    bare: { pid: bare.pid, url: `http://127.0.0.1:${port}`, ids: documents.map(({ _id }) => _id) },
    generator,
    readers: accounts.slice(0, CLIENTS),
    adders: accounts.slice(CLIENTS),
    end: async () => {
      for (const child of [bare, generator]) child.end();
      await gateway.stop();
      await Promise.all([uri, server.uri('bare')].map(drop));
    },
  };
}

/** About as large as a session with its account. */
const bareDocument = (index) => ({
  _id: randomUUID(),
  version: 1,
  state: { accountId: index, username: `bench-${index}`, text: 'x'.repeat(330) },
});
