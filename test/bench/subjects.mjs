// The subjects, the figures that they are compared with, and the goals.
import { loadOn } from './load.mjs';
import { CLIENTS, KEYS_LISTED, KEYS_PER_ROUND, REQUESTS_ALONE } from './stage.mjs';

/** Readers during logins. Few, so that their latency depends on the logins and not on each other. */
const READERS = 4;

const COMMITS = 'bare SQLite, commits one by one';
const HASHES = 'bare argon2id';
const CALM = `GET /api/me, ${READERS} readers`;
const PING = 'GET /ping';
const ME = 'GET /api/me';
const LIST = `GET /api/me/sshkey/list, ${KEYS_LISTED} keys`;
const SETTINGS = 'GET /api/public/settings';
const ADD = `POST /api/me/sshkey/add, ${CLIENTS} accounts`;
const ADD_ALONE = 'POST /api/me/sshkey/add, 1 client';

/** Returns the name of a subject that is measured with several numbers of threads. */
const named = (name, threads) => `${name}, ${threads} thread${threads === 1 ? '' : 's'}`;

/** Returns the comparisons of several threads with one: pairs of subjects and the minimum ratio of their rates. */
export const gainsOf = (threads) =>
  [
    [PING, 1.3],
    [ME, 1.3],
    [LIST, 1.3],
    [SETTINGS, 1.3],
    [ADD, 1],
  ].map(([name, goal]) => ({ name: named(name, threads), base: named(name, 1), goal }));

/**
 * Returns the subjects in the order of the table. `measure(seconds)` returns figures with `perSecond`. The ratio is the
 * rate divided by that of the subject `base`; `goal` is its minimum.
 */
export function subjectsOf(stage) {
  const { app, threads, bareServer, bareCommits, commitsPath, generators, readers, adders } = stage;
  const [generator] = generators;
  const PONG = named('bare Fastify, GET /ping', threads);
  const anybody = Array.from({ length: CLIENTS }, () => ({ headers: {} }));
  const signedIn = readers.map(({ headers }) => ({ headers }));

  const get = (path, clients, more) => (seconds) =>
    loadOn(app.pid, generator, { url: app.url + path, clients, seconds, ...more });
  const pong = (seconds) => {
    const load = { url: `${bareServer.url}/ping`, clients: anybody, expects: 'pong', seconds };
    return loadOn(bareServer.pid, generator, load);
  };
  const add = (accounts, length) => {
    const clients = adders.splice(0, accounts).map(({ headers }) => ({ headers }));
    const load = { url: `${app.url}/api/me/sshkey/add`, method: 'POST', clients, keys: KEYS_PER_ROUND, ...length };
    return loadOn(app.pid, generator, load);
  };

  const ofFastify = (name, measure, goal) => ({ name: named(name, threads), measure, base: PONG, goal });
  const ofCommits = (name, measure, goal) => ({
    name: named(name, threads),
    measure,
    once: true,
    base: named(COMMITS, threads),
    goal,
  });
  return [
    { name: PONG, measure: pong },
    ofFastify(PING, get('/ping', anybody, { expects: 'pong' }), 0.8),
    ofFastify(ME, get('/api/me', signedIn), 0.55),
    ofFastify(LIST, get('/api/me/sshkey/list', signedIn), 0.55),
    ofFastify(SETTINGS, get('/api/public/settings', anybody), 0.55),
    { name: named(COMMITS, threads), measure: bare(bareCommits, { path: commitsPath }) },
    ofCommits(ADD, (seconds) => add(CLIENTS, { seconds }), 0.7),
    // An add takes at most four times as long as a commit.
    ofCommits(ADD_ALONE, () => add(1, { amount: REQUESTS_ALONE }), 0.25),
  ];
}

/** Returns the subjects that hash passwords, which all threads share. */
export function loginSubjectsOf({ app, bareHashes, generators, readers }) {
  const [generator, secondGenerator] = generators;
  const few = readers.slice(0, READERS).map(({ headers }) => ({ headers }));
  const login = { url: `${app.url}/api/auth/login`, method: 'POST', clients: readers.map(({ login }) => login) };
  const read = (seconds) => loadOn(app.pid, generator, { url: `${app.url}/api/me`, clients: few, seconds });
  const readBesideLogins = async (seconds) => {
    const loggingIn = loadOn(app.pid, secondGenerator, { ...login, seconds });
    const [{ cpu: _shared, ...figures }] = await Promise.all([read(seconds), loggingIn]);
    return figures;
  };
  return [
    { name: HASHES, measure: bare(bareHashes) },
    {
      name: 'POST /api/auth/login',
      measure: (seconds) => loadOn(app.pid, generator, { ...login, seconds }),
      base: HASHES,
    },
    { name: CALM, measure: read },
    { name: `  beside ${CLIENTS} clients logging in`, measure: readBesideLogins, base: CALM },
  ];
}

const bare = (child, message) => async (seconds) => ({ perSecond: await child.ask({ ...message, seconds }) });
