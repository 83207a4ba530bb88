// Compares forwarding to OpenList with the smallest proxy on @fastify/reply-from, both in one thread. A page has one
// kibibyte and needs no token; a call of the API does, and is answered by the double of OpenList.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Accounts } from './accounts.mjs';
import { App, temporaryFolder } from './app.mjs';
import { Child } from './child.mjs';
import { loadOn } from './load.mjs';
import { alternate, median } from './rounds.mjs';
import { missedGoals, report, rowsOf, tableOf } from './table.mjs';

const CLIENTS = 64;
const RATE_GOAL = 0.8;
/** Milliseconds that forwarding a page may add to the median. */
const ADDED_GOAL = 0.5;
const PAGE = { proxy: 'reply-from, page', own: 'Keyfold, page' };
const CALL = { proxy: 'reply-from, API', own: 'Keyfold, API' };

/** Measures both proxies. */
export async function measureForwarding(rounds, seconds) {
  const openlist = await startDouble();
  const pages = new Child('./bare/kilobyte.mjs');
  const site = { url: `http://127.0.0.1:${await pages.ask({})}`, token: 'none' };
  const generator = new Child('./generator.mjs');
  const subject = (names, path, { proxy, app, clients, administrators }) => {
    const measure =
      ({ pid, url }, sent) =>
      (time) =>
        loadOn(pid, generator, { url: url + path, clients: sent, seconds: time, expects: '' });
    return [
      { name: names.proxy, measure: measure(proxy, administrators) },
      { name: names.own, measure: measure(app, clients), base: names.proxy, goal: RATE_GOAL },
    ];
  };
  const subjects = [
    ...subject(PAGE, '/page', await proxiesOf(site)),
    ...subject(CALL, '/api/fs/dirs', await proxiesOf(openlist)),
  ];
  await alternate(subjects, 1, Math.min(1, seconds));
  const figures = await alternate(subjects, rounds, seconds);
  const rows = rowsOf(subjects, figures);
  console.log(tableOf(rows));
  const added = addedMilliseconds(figures);
  console.log(`a page takes ${added} ms longer than through reply-from, by the median`);
  report([...missedGoals(rows), ...(added > ADDED_GOAL ? [`${added} ms added, the goal is ${ADDED_GOAL} ms`] : [])]);
}

/** Starts both proxies in front of one server. `clients` and `administrators` are what the connections to each send. */
async function proxiesOf({ url, token }) {
  const settings = { KEYFOLD_OPENLIST_URL: url, KEYFOLD_OPENLIST_TOKEN: token };
  const app = await App.start(temporaryFolder(), 1, settings);
  const bare = new Child('./bare/reply-from.mjs');
  const proxy = { pid: bare.pid, url: `http://127.0.0.1:${await bare.ask({ upstream: url })}` };
  const clients = await (await Accounts.of(app.url)).make(CLIENTS);
  const administrators = clients.map(() => ({ headers: { Authorization: token } }));
  return { proxy, app, clients: clients.map(({ headers }) => ({ headers })), administrators };
}

/** Returns the median over the rounds of the difference between the medians of both. */
function addedMilliseconds(figures) {
  const [own, proxy] = [figures.get(PAGE.own), figures.get(PAGE.proxy)];
  return median(own.map(({ p50 }, round) => p50 - proxy[round].p50));
}

async function startDouble() {
  const script = join(import.meta.dirname, '../support/openlist/openlist-double.main.mjs');
  const double = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => double.kill('SIGKILL'));
  const lines = [];
  for await (const line of createInterface(double.stdout)) if (lines.push(line) === 2) break;
  const [url, token] = lines;
  return { url, token };
}
