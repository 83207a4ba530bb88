// Adds keys over several gateways. Each request takes the account of its pool that has rested longest, so that an account hops between the
// gateways of a pool and never has two requests at a time.
import autocannon from 'autocannon';
import { answerWith } from '../child.mjs';
import { keyBodies } from '../key-bodies.mjs';
import { SUCCESS } from '../load.mjs';

/** Keys that are made before the load starts. */
const MOST_ADDS = 40_000;

/**
 * `pools` are headers of accounts: one for all gateways, or one for each. `load` is that of each gateway: its
 * `connections`, and the `duration` in seconds or the `amount` of requests.
 */
answerWith(async ({ urls, pools, ...load }) => {
  const bodies = keyBodies(MOST_ADDS);
  const loads = urls.map((url, index) => {
    const pool = pools[index % pools.length];
    const setupRequest = (request, context) => {
      context.headers = pool.shift();
      return { ...request, headers: context.headers, body: bodies.pop() };
    };
    const onResponse = (status, body, { headers }) => {
      if (!body.startsWith(SUCCESS)) throw new Error(`an add was answered with ${status} ${body}`);
      pool.push(headers);
    };
    const requests = [{ method: 'POST', setupRequest, onResponse }];
    return autocannon({ ...load, url: `${url}/api/me/sshkey/add`, sampleInt: 20, requests });
  });
  const results = await Promise.all(loads);
  const unanswered = results.reduce((sum, { errors, timeouts }) => sum + errors + timeouts, 0);
  if (unanswered > 0) throw new Error(`${unanswered} adds were not answered`);
  const answered = results.reduce((sum, result) => sum + result['2xx'], 0);
  return { answered, perSecond: answered / Math.max(...results.map(({ duration }) => duration)) };
});
