// npm run bench:soak: loads the built standalone app with mixed requests and new connections, and compares its memory in the first and the
// last third of the run. Then measures growing rings. Exits with 1 if the memory grew or a goal is missed. `npm run bench:soak -- 4` uses
// four threads. SOAK_SECONDS shortens the first part; 0 leaves it out.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Accounts } from './accounts.mjs';
import { App, temporaryFolder } from './app.mjs';
import { keyBodies } from './key-bodies.mjs';
import { SUCCESS } from './load.mjs';
import { residentMegabytes } from './process-figures.mjs';
import { measureRings } from './rings.mjs';
import { report } from './table.mjs';

const CLIENTS = 32;
/** Rounds of a client on one connection. */
const ROUNDS_PER_CONNECTION = 10;
/** Rounds of a client per login. */
const ROUNDS_PER_LOGIN = 50;
/** Seconds before the first sample, in which code is compiled and caches fill. */
const WARM_UP = 60;
const SAMPLE_SECONDS = 10;
/** The maximum ratio of the memory in the last third to that in the first. V8 collects when it likes, so equal loads differ by up to 15 %. */
const GOAL = 1.25;
const seconds = Number(process.env.SOAK_SECONDS ?? 600);
const [, , threads] = process.argv;

let answered = 0;
let over = false;
const missed = seconds === 0 ? [] : await soak();
report([...missed, ...(await measureRings(threads))]);
process.exit();

async function soak() {
  const app = await App.start(temporaryFolder(), threads);
  const accounts = await (await Accounts.of(app.url)).makeWithKeys(CLIENTS, 5);
  const clients = accounts.map((account) => runClient(app.url, account));
  const samples = await Promise.race([takeSamples(app.pid), Promise.all(clients)]);
  over = true;
  await Promise.all(clients);
  await app.stop();
  return missedBy(samples);
}

async function takeSamples(pid) {
  await pause(Math.min(WARM_UP, seconds / 10) * 1000);
  const taken = [];
  while (taken.length * SAMPLE_SECONDS < seconds) {
    taken.push(residentMegabytes(pid));
    await pause(SAMPLE_SECONDS * 1000);
  }
  return taken;
}

async function runClient(url, { headers, login }) {
  let agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method, path, more) => answerOf(agent, method, url + path, { headers, ...more });
  for (let round = 1; !over; round++) {
    await send('GET', '/ping', { expects: 'pong' });
    await send('GET', '/api/me');
    const [body] = keyBodies(1);
    await send('POST', '/api/me/sshkey/add', { body });
    const { data } = JSON.parse(await send('GET', '/api/me/sshkey/list'));
    await send('POST', `/api/me/sshkey/delete?id=${data.content.at(-1).id}`);
    if (round % ROUNDS_PER_LOGIN === 0) await send('POST', '/api/auth/login', login);
    if (round % ROUNDS_PER_CONNECTION > 0) continue;
    agent.destroy();
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }
  agent.destroy();
}

async function answerOf(agent, method, url, { headers, body, expects = SUCCESS }) {
  const [answer] = await once(request(url, { agent, method, headers }).end(body), 'response');
  const content = await text(answer);
  if (!content.startsWith(expects)) throw new Error(`${method} ${url} answers ${answer.statusCode} ${content}`);
  answered++;
  return content;
}

function missedBy(samples) {
  const third = Math.floor(samples.length / 3);
  const [first, last] = [samples.slice(0, third), samples.slice(-third)].map(mean);
  if (![first, last].every(Number.isFinite)) throw new Error('too few samples: raise SOAK_SECONDS');
  console.log(`samples in MB: ${samples.map(Math.round).join(' ')}`);
  const growth = `${first.toFixed(1)} MB in the first third, ${last.toFixed(1)} MB in the last`;
  console.log(`${answered} answers; ${growth}`);
  return last > first * GOAL ? [`the memory grew: ${growth}`] : [];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
