// A projector, or a rebuild, in a process of its own. Answers the seconds of its processor time and of the clock,
// and how many documents of key rings there are then.
import { answerWith } from '../child.mjs';
import { eventStore, MongoReadModelStore, projections } from './built.mjs';
import { connected } from './database.mjs';

const { StreamLoader, Projection, Projector, Rebuild, readModels } = projections;

const { name, schema } = readModels.find(({ name }) => name === 'ssh_key_rings');
const DOCUMENTS = `${name}_${schema}`;

/** `work`: `projector` works through the feed from its checkpoint, `rebuild` makes every document anew. */
answerWith(({ uri, work }) =>
  connected(uri, async (connection) => {
    const store = new eventStore.MongoEventStore(connection);
    const documents = new MongoReadModelStore(connection);
    const run = work === 'rebuild' ? rebuild : project;
    const before = { cpu: process.cpuUsage(), time: performance.now() };
    await run(store, documents, connection);
    const { user, system } = process.cpuUsage(before.cpu);
    const seconds = (performance.now() - before.time) / 1e3;
    await store.close();
    const made = await eventStore.collectionOf(connection, DOCUMENTS).countDocuments();
    return { made, cpuSeconds: (user + system) / 1e6, seconds };
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
