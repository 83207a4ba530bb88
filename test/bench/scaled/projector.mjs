// Runs a projector, the expiry of SSH keys or a rebuild in a separate process. Answers with its CPU seconds, the elapsed
// seconds and the number of key ring documents in the database.
import { answerWith } from '../child.mjs';
import { timed } from '../process-figures.mjs';
import { CommandRunner, eventStore, MongoReadModelStore, projections, SshKeyExpiry } from './built.mjs';
import { connected } from './database.mjs';

const { ListUpdates, StreamLoader, Projection, Projector, Rebuild, readModels } = projections;

const { name, schema } = readModels.find(({ name }) => name === 'ssh_key_rings');
const DOCUMENTS = `${name}_${schema}`;

const works = { projector: project, follow, expire, rebuild };

/**
 * `work`: `projector` reads the feed from its checkpoint, `follow` goes on until the process ends, `expire` also announces
 * expired keys, and `rebuild` recreates every document.
 */
answerWith(({ uri, work }) =>
  connected(uri, async (connection) => {
    const store = new eventStore.MongoEventStore(connection);
    const documents = new MongoReadModelStore(connection);
    const figures = await timed(() => works[work](store, documents, connection));
    await store.close();
    const made = await eventStore.collectionOf(connection, DOCUMENTS).countDocuments();
    return { made, ...figures };
  }),
);

async function project(...stores) {
  const { projector } = open(...stores);
  await projector.catchUp();
  await projector.stop();
}

async function follow(...stores) {
  open(...stores).projector.start();
  await new Promise(() => {});
}

async function expire(...stores) {
  const { projector, expiry } = open(...stores);
  projector.start();
  expiry.start();
  await new Promise(() => {});
}

function open(store, documents, connection) {
  const loader = new StreamLoader(store, documents);
  const projection = new Projection(loader, documents, Date.now);
  const leases = new eventStore.MongoFeedLeases(connection);
  const onError = (error) => {
    throw error;
  };
  const projector = new Projector(store, projection, leases, onError);
  const runner = new CommandRunner(store, loader, new ListUpdates(projection, onError), { now: Date.now });
  const expiry = new SshKeyExpiry({ runner, readModels: documents, projection, projector, leases, onError });
  return { projector, expiry };
}

async function rebuild(store, documents) {
  await new Rebuild(store, store, documents, readModels, Date.now).run(fail, new AbortController().signal);
}

async function fail(problem) {
  throw new Error(problem);
}
