// Runs a projector or a rebuild in a separate process. Answers with its CPU seconds, the elapsed seconds and the number
// of key ring documents in the database.
import { answerWith } from '../child.mjs';
import { timed } from '../process-figures.mjs';
import { eventStore, MongoReadModelStore, projections } from './built.mjs';
import { connected } from './database.mjs';

const { StreamLoader, Projection, Projector, Rebuild, readModels } = projections;

const { name, schema } = readModels.find(({ name }) => name === 'ssh_key_rings');
const DOCUMENTS = `${name}_${schema}`;

const works = { projector: project, follow, rebuild };

/**
 * `work`: `projector` reads the feed from its checkpoint, `follow` goes on until the process ends, and `rebuild`
 * recreates every document.
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

async function project(store, documents, connection) {
  const projector = newProjector(store, documents, connection);
  await projector.catchUp();
  await projector.stop();
}

async function follow(store, documents, connection) {
  newProjector(store, documents, connection).start();
  await new Promise(() => {});
}

function newProjector(store, documents, connection) {
  const projection = new Projection(new StreamLoader(store, documents), documents, Date.now);
  const throwError = (error) => {
    throw error;
  };
  return new Projector(store, projection, new eventStore.MongoFeedLeases(connection), throwError);
}

async function rebuild(store, documents) {
  await new Rebuild(store, store, documents, readModels, Date.now).run(fail, new AbortController().signal);
}

async function fail(problem) {
  throw new Error(problem);
}
