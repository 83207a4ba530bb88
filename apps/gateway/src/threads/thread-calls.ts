import type { LoginIdentity, SecurityEvent } from '@keyfold/application';
import type { ApiSettings, ProcessSettings, Sample, Secrets } from '@keyfold/process';
import type { HashGroups } from '@keyfold/security';
import type { JoinableStore } from '@keyfold/wiring';
import { createBirpc, type BirpcReturn } from 'birpc';
import type { MessagePort, Worker } from 'node:worker_threads';

/** The data that a serving thread receives when it starts. */
export type ThreadData = Readonly<{
  settings: ApiSettings & ProcessSettings;
  store: JoinableStore | Readonly<{ uri: string; secrets: Secrets }>;
}>;

/** The result of a hash, or the fields of a `HashQueueFull`, because errors lose their class between threads. */
export type Hashed<Result> = Readonly<{ result: Result } | { retryAfterSeconds: number }>;

/** The calls of a serving thread to the owner, for services that a process has once. */
export type OwnerCalls = {
  hash(staticHash: string, groups?: HashGroups): Promise<Hashed<string>>;
  hashFor(actor: string, staticHash: string): Promise<Hashed<string>>;
  verify(staticHash: string, passwordHash: string, groups?: HashGroups): Promise<Hashed<boolean>>;
  /** Enters the queues of a login. `ticket` identifies it for `leaveQueue`. */
  enterLoginQueues(
    ticket: number,
    identity: LoginIdentity,
    isKnown: boolean,
  ): Promise<'entered' | 'full' | 'known only'>;
  /** Enters the queue of a stream. `ticket` identifies the caller for `leaveQueue`. */
  enterStreamQueue(ticket: number, stream: string): Promise<void>;
  leaveQueue(ticket: number): void;
  report(event: SecurityEvent): void;
  /** Writes a line of the thread's log. */
  log(line: string): void;
};

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
