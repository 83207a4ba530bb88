// Runs a projector or a rebuild in a separate process. Answers with its CPU seconds, the elapsed seconds and the number
// of key ring documents.
import { answerWith } from '../child.mjs';
import { timed } from '../process-figures.mjs';
import { eventStore, MongoReadModelStore, projections } from './built.mjs';
import { connected } from './database.mjs';

const { StreamLoader, Projection, Projector, Rebuild, readModels } = projections;

const { name, schema } = readModels.find(({ name }) => name === 'ssh_key_rings');
const DOCUMENTS = `${name}_${schema}`;

/** `work`: `projector` reads the feed from its checkpoint, `rebuild` recreates every document. */
answerWith(({ uri, work }) =>
  connected(uri, async (connection) => {
    const store = new eventStore.MongoEventStore(connection);
    const documents = new MongoReadModelStore(connection);
    const run = work === 'rebuild' ? rebuild : project;
    const figures = await timed(() => run(store, documents, connection));
    await store.close();
    const made = await eventStore.collectionOf(connection, DOCUMENTS).countDocuments();
    return { made, ...figures };
  }),
);

async function project(store, documents, connection) {
  const projection = new Projection(new StreamLoader(store, documents), documents, Date.now);
  const projector = new Projector(store, projection, new eventStore.MongoFeedLeases(connection), (error) => {
    throw error;
  });
  await projector.catchUp();
  await projector.stop();
}

const rebuild = (store, documents) =>
  new Rebuild(store, store, documents, readModels, Date.now).run(fail, new AbortController().signal);

async function fail(problem) {
  throw new Error(problem);
}
