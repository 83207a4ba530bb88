// The subjects, the figures that they are compared with, and the goals.
import { keyBodies } from '../key-bodies.mjs';
import { loadOn } from '../load.mjs';
import { cpuSeconds } from '../process-figures.mjs';
import { CLIENTS, KEYS_LISTED, KEYS_PER_ROUND, REQUESTS_ALONE } from '../stage.mjs';

const INSERT = 'bare insert, w: majority, j: true';
const FIND = 'bare find by id';
const ADD = 'POST /api/me/sshkey/add';

/** See `subjectsOf` of the embedded benchmark. A subject and its base have the same number of clients. */
export function subjectsOf(stage) {
  return [CLIENTS, 1].flatMap((clients) => {
    const { insert, find, add, get } = requestsOf(stage, clients);
    const many = clients > 1;
    const [inserts, finds] = [INSERT, FIND].map((name) => named(name, clients));
    return [
      { name: inserts, measure: insert },
      { name: named(ADD, clients), measure: add, once: true, base: inserts, goal: many ? 1.8 : 0.6 },
      { name: finds, measure: find },
      { name: named('GET /api/me', clients), measure: get('/api/me'), base: finds, goal: many ? 2 : 0.5 },
      {
        name: named(`GET /api/me/sshkey/list, ${KEYS_LISTED} keys`, clients),
        measure: get('/api/me/sshkey/list'),
        base: finds,
        goal: many ? 2 : 0.5,
      },
    ];
  });
}

/** Returns the same adds while something else uses the database; `beside` names it. */
export function addsBeside(stage, beside) {
  const { insert, add } = requestsOf(stage, CLIENTS);
  const inserts = `${named(INSERT, CLIENTS)}, ${beside}`;
  return [
    { name: inserts, measure: insert },
    { name: `${named(ADD, CLIENTS)}, ${beside}`, measure: add, once: true, base: inserts, goal: 1.4 },
  ];
}

/** Returns functions of the seconds of a round. */
function requestsOf({ server, gateway, bare, generator, readers, adders }, clients) {
  const lasting = (seconds) => (clients > 1 ? { seconds } : { amount: REQUESTS_ALONE });
  const load = (pid, request) => (seconds) => loadOnBoth(server, pid, generator, { ...request, ...lasting(seconds) });
  const signedIn = readers.slice(0, clients).map(({ headers }) => ({ headers }));
  const inserts = { url: `${bare.url}/insert`, method: 'POST', clients: keyBodies(clients).map(asJson) };
  const finds = { url: `${bare.url}/find`, clients: bare.ids.slice(0, clients).map(withId) };
  return {
    insert: load(bare.pid, inserts),
    find: load(bare.pid, finds),
    get: (path) => load(gateway.pid, { url: gateway.url + path, clients: signedIn }),
    add: (seconds) => {
      const own = adders.splice(0, clients).map(({ headers }) => ({ headers }));
      const request = { url: gateway.url + '/api/me/sshkey/add', method: 'POST', clients: own, keys: KEYS_PER_ROUND };
      return load(gateway.pid, request)(seconds);
    },
  };
}

/**
 * Runs `loadOn` and adds the database's work per request: `operations` by the server's counters, the `messages` that
 * carried them, and `databaseCpu` in microseconds.
 */
async function loadOnBoth(server, pid, generator, load) {
  const before = { cpu: cpuSeconds(server.pid), ...(await server.counters()) };
  const figures = await loadOn(pid, generator, load);
  const after = { cpu: cpuSeconds(server.pid), ...(await server.counters()) };
  const each = (key) => (after[key] - before[key]) / figures.answered;
  return { ...figures, operations: each('operations'), messages: each('messages'), databaseCpu: each('cpu') * 1e6 };
}

const named = (name, clients) => `${name}, ${clients} ${clients > 1 ? 'clients' : 'client'}`;
const asJson = (body) => ({ body, headers: { 'Content-Type': 'application/json' } });
const withId = (id) => ({ headers: { Authorization: id } });
