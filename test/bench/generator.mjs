// The load generator of every HTTP figure. It runs one load at a time; several generators can run in parallel.
import autocannon from 'autocannon';
import { answerWith } from './child.mjs';
import { keyBodies } from './key-bodies.mjs';

/** Milliseconds between checks for the end of a load. */
const SAMPLE_MS = 20;

/**
 * `clients` is what each connection sends, as `{ headers, body }`. With `keys`, each client sends this many fresh keys
 * instead of its body. `expects` is the beginning of every correct answer. A load lasts `seconds`, or until `amount`
 * requests are answered. Returns the number of answers, the rate per second, and latency percentiles in whole
 * milliseconds.
 */
answerWith(async ({ url, method = 'GET', clients, keys, expects, seconds, amount }) => {
  const requests = clients.map((client) => ({ ...client, method, ...(keys ? { setupRequest: freshKeys(keys) } : {}) }));
  let next = 0;
  const result = await autocannon({
    url,
    connections: clients.length,
    ...(amount ? { amount } : { duration: seconds }),
    sampleInt: SAMPLE_MS,
    setupClient: (client) => client.setRequests([requests[next++]]),
    verifyBody: (body) => body.startsWith(expects),
  });
  const wrong = result.errors + result.timeouts + result.mismatches + result.non2xx;
  if (wrong > 0)
    throw new Error(`${method} ${url}: ${wrong} of ${result.requests.total} answers were wrong or missing`);
  const answered = result['2xx'];
  return { answered, perSecond: answered / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
});

/** Gives each request its own body. All bodies are created before the load starts. */
function freshKeys(count) {
  const bodies = keyBodies(count);
  return (request) => {
    const body = bodies.pop();
    if (body === undefined) throw new Error(`${count} keys for each client are too few: shorten the round`);
    return { ...request, body };
  };
}
