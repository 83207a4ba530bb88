import { createBirpc, type BirpcReturn } from 'birpc';
import type { MessagePort, Worker } from 'node:worker_threads';

/** Calls the functions of the other thread and serves its calls with `own`. Calls wait without limit, because queues may be long. */
export function linkThreads<Others extends object, Own extends object>(
  own: Own,
  port: MessagePort | Worker,
): BirpcReturn<Others, Own> {
  return createBirpc<Others, Own>(own, {
    post: (message) => port.postMessage(message),
    on: (receive) => void port.on('message', receive),
    bind: 'functions',
    timeout: -1,
  });
}
