// The load generator of every HTTP figure. One load at a time; several generators run side by side.
import autocannon from 'autocannon';
import { answerWith } from './child.mjs';
import { keyBodies } from './key-bodies.mjs';

/** How often the end of a load is looked for, in milliseconds. */
const LOOK_EVERY = 20;

/**
 * `clients`: what each connection sends, as `{ headers, body }`. `keys`: each client sends so many fresh keys instead of its body.
 * `expects`: what every answer starts with. A load lasts `seconds`, or until `amount` requests are answered.
 * Answers how many were answered, how many a second, and percentiles of the latency in whole milliseconds.
 */
answerWith(async ({ url, method = 'GET', clients, keys, expects, seconds, amount }) => {
  const requests = clients.map((client) => ({ ...client, method, ...(keys ? { setupRequest: freshKeys(keys) } : {}) }));
  let next = 0;
  const result = await autocannon({
    url,
    connections: clients.length,
    ...(amount ? { amount } : { duration: seconds }),
    sampleInt: LOOK_EVERY,
    setupClient: (client) => client.setRequests([requests[next++]]),
    verifyBody: (body) => body.startsWith(expects),
  });
  const wrong = result.errors + result.timeouts + result.mismatches + result.non2xx;
  if (wrong > 0)
    throw new Error(`${method} ${url}: ${wrong} of ${result.requests.total} answers were wrong or missing`);
  const answered = result['2xx'];
  return { answered, perSecond: answered / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
});

/** Gives each request a body of its own; all are made before the load starts. */
function freshKeys(count) {
  const bodies = keyBodies(count);
  return (request) => {
    const body = bodies.pop();
    if (body === undefined) throw new Error(`${count} keys for each client are not enough: shorten the round`);
    return { ...request, body };
  };
}
