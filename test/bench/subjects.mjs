// The subjects, the figures that they are compared with, and the goals.
import { loadOn } from './load.mjs';
import { CLIENTS, KEYS_LISTED } from './stage.mjs';

/** Readers during logins. Few, so that their latency depends on the logins and not on each other. */
const READERS = 4;
/** Keys that a client can add in a round, below the limit of 1,000 per account. */
const KEYS_PER_ROUND = 950;

const PONG = 'bare Fastify, GET /ping';
const COMMITS = 'bare SQLite, commits one by one';
const HASHES = 'bare argon2id';
const CALM = `GET /api/me, ${READERS} readers`;

/**
 * Returns the subjects in the order of the table. `measure(seconds)` returns figures with `perSecond`. The ratio is the
 * rate divided by that of the subject `base`; `goal` is its minimum.
 */
export function subjectsOf({ app, bareServer, bareCommits, bareHashes, commitsPath, generators, readers, adders }) {
  const [generator, secondGenerator] = generators;
  const anybody = Array.from({ length: CLIENTS }, () => ({ headers: {} }));
  const signedIn = readers.map(({ headers }) => ({ headers }));
  const few = signedIn.slice(0, READERS);
  const logins = readers.map(({ login }) => login);

  const get = (path, clients, more) => (seconds) =>
    loadOn(app.pid, generator, { url: app.url + path, clients, seconds, ...more });
  const bare = (child, message) => async (seconds) => ({ perSecond: await child.ask({ ...message, seconds }) });
  const login = { url: `${app.url}/api/auth/login`, method: 'POST', clients: logins };

  const pong = (seconds) => {
    const load = { url: `${bareServer.url}/ping`, clients: anybody, expects: 'pong', seconds };
    return loadOn(bareServer.pid, generator, load);
  };
  const add = (seconds) => {
    const clients = adders.splice(0, CLIENTS).map(({ headers }) => ({ headers }));
    const load = { url: `${app.url}/api/me/sshkey/add`, method: 'POST', clients, keys: KEYS_PER_ROUND, seconds };
    return loadOn(app.pid, generator, load);
  };
  const readBesideLogins = async (seconds) => {
    const loggingIn = loadOn(app.pid, secondGenerator, { ...login, seconds });
    const [{ cpu: _shared, ...figures }] = await Promise.all([get('/api/me', few)(seconds), loggingIn]);
    return figures;
  };

  return [
    { name: PONG, measure: pong },
    { name: 'GET /ping', measure: get('/ping', anybody, { expects: 'pong' }), base: PONG, goal: 0.7 },
    { name: 'GET /api/me', measure: get('/api/me', signedIn), base: PONG, goal: 0.4 },
    {
      name: `GET /api/me/sshkey/list, ${KEYS_LISTED} keys`,
      measure: get('/api/me/sshkey/list', signedIn),
      base: PONG,
      goal: 0.4,
    },
    { name: 'GET /api/public/settings', measure: get('/api/public/settings', anybody), base: PONG },
    { name: COMMITS, measure: bare(bareCommits, { path: commitsPath }) },
    { name: `POST /api/me/sshkey/add, ${CLIENTS} accounts`, measure: add, once: true, base: COMMITS, goal: 0.7 },
    { name: HASHES, measure: bare(bareHashes) },
    {
      name: 'POST /api/auth/login',
      measure: (seconds) => loadOn(app.pid, generator, { ...login, seconds }),
      base: HASHES,
    },
    { name: CALM, measure: get('/api/me', few) },
    { name: `  beside ${CLIENTS} clients logging in`, measure: readBesideLogins, base: CALM },
  ];
}
