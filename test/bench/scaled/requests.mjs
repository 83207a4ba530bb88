// One client per server that sends one request at a time and measures it more precisely than the generator.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { SUCCESS } from '../load.mjs';

/**
 * Sends requests `{ method, path, headers, body }` to several servers in turn, one at a time, so that a slow moment of
 * the machine affects all. Returns the milliseconds of each request per server. Throws at the first refusal.
 */
export async function timesOf(servers) {
  const clients = servers.map(({ url, requests }) => ({ url, requests, times: [], agent: newAgent() }));
  const most = Math.max(...servers.map(({ requests }) => requests.length));
  for (let index = 0; index < most; index += 1) {
    // The order alternates, because the second request finds the machine awake.
    for (const client of index % 2 === 0 ? clients : clients.toReversed()) {
      const each = client.requests[index];
      if (each !== undefined) client.times.push(await timeOf(client, each));
    }
  }
  for (const { agent } of clients) agent.destroy();
  return clients.map(({ times }) => times);
}

/** Sends requests one at a time and returns the data of their answers. Throws at the first refusal. */
export async function answersOf(url, requests) {
  const agent = newAgent();
  const data = [];
  for (const each of requests) data.push(JSON.parse(await successOf({ url, agent }, each)).data);
  agent.destroy();
  return data;
}

const newAgent = () => new Agent({ keepAlive: true, maxSockets: 1 });

async function timeOf(client, each) {
  const start = performance.now();
  await successOf(client, each);
  return performance.now() - start;
}

async function successOf({ url, agent }, each) {
  const answer = await send(url, agent, each);
  if (!answer.startsWith(SUCCESS)) throw new Error(`${each.path} answers ${answer.slice(0, 200)}`);
  return answer;
}

async function send(url, agent, { method = 'GET', path, headers, body }) {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = request(url + path, { agent, method, headers: { ...headers, ...length } });
  const [response] = await once(sent.end(body), 'response');
  return text(response);
}
