import type { ApiSettings, ProcessSettings, Sample, Secrets } from '@keyfold/process';
import type { JoinableStore } from '@keyfold/wiring';
import { createBirpc, type BirpcReturn } from 'birpc';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { ThreadRequests } from './thread-requests.js';

/** The data that a serving thread receives when it starts. */
export type ThreadData = Readonly<{
  settings: ApiSettings & ProcessSettings;
  store: JoinableStore | Readonly<{ uri: string; secrets: Secrets }>;
}>;

/** The calls of a serving thread to the owner, for services that a process has once. */
export type OwnerCalls = Omit<ThreadRequests, 'end'>;

/** The calls of the owner to a serving thread. */
export type ThreadCalls = {
  /** Starts to serve on a port that the owner has chosen. Rejects if the thread cannot start. */
  listen(port: number): Promise<void>;
  /** Returns the thread's share of the metrics of the process. */
  samples(): Promise<readonly Sample[]>;
  /** Closes the thread, which then ends. `drains`: clients have time to disconnect, so that no request is lost. */
  close(drains: boolean): Promise<void>;
};

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
