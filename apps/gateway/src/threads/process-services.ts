import type { Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InMemoryLoginQueues, InMemoryStreamQueue, LoginQueues, SecurityLog, StreamQueue } from '@keyfold/application';
import { securityLogProvider, type Health, type LimitedSecurityLog } from '@keyfold/process';
import { Argon2PasswordHasher, HashQueueFull, PasswordHasher } from '@keyfold/security';
import type { BirpcReturn } from 'birpc';
import { availableParallelism } from 'node:os';
import { HashDurations } from '../metrics/measure-gateway.js';
import { OwnState, ProcessState } from './process-state.js';
import type { OwnerCalls, ThreadCalls } from './thread-calls.js';
import type { Hashed } from './thread-requests.js';

/** Maximum number of password hashes that wait. A full queue takes about two seconds. */
export const WAITING_HASHES = 200;

/**
 * Provides the services that a process has once, however many of its threads serve: the queues of hashes, logins and streams, the
 * security log and the state of the process.
 */
export const processServices = (health: Health): Provider[] => [
  securityLogProvider,
  HashDurations,
  {
    provide: PasswordHasher,
    inject: [HashDurations],
    useFactory: (durations: HashDurations) =>
      new Argon2PasswordHasher({
        // One CPU stays free for everything but password hashing.
        concurrency: Math.max(1, availableParallelism() - 1),
        maxWaiting: WAITING_HASHES,
        onHashed: (seconds) => durations.observe(seconds),
      }),
  },
  { provide: LoginQueues, useClass: InMemoryLoginQueues },
  { provide: StreamQueue, useClass: InMemoryStreamQueue },
  {
    provide: ProcessState,
    inject: [ModuleRef],
    useFactory: (container: ModuleRef) => new OwnState(health, container),
  },
];

/** The thread that owns the process, as a serving thread sees it. */
type Owner = BirpcReturn<OwnerCalls, ThreadCalls>;

/**
 * Provides the services that a process has once by calling those of the owner. The owner measures them, so the counts here stay 0.
 * `logFields` returns the fields that a log line of this thread has.
 */
export function ownerServices(owner: Owner, logFields: () => Readonly<Record<string, string>>): Provider[] {
  const hasher: PasswordHasher = {
    waiting: 0,
    running: 0,
    refused: 0,
    hash: async (...args) => resultOf(await owner.hash(...args)),
    hashFor: async (...args) => resultOf(await owner.hashFor(...args)),
    verify: async (...args) => resultOf(await owner.verify(...args)),
  };
  /** Numbers the tickets of this thread in the owner's queues. */
  let tickets = 0;
  const logins: LoginQueues = {
    async enter(identity, isKnown) {
      const ticket = tickets++;
      const outcome = await owner.enterLoginQueues(ticket, identity, isKnown);
      return outcome === 'entered' ? () => void owner.leaveQueue.asEvent(ticket) : outcome;
    },
  };
  const streams: StreamQueue = {
    async run(stream, command) {
      const ticket = tickets++;
      await owner.enterStreamQueue(ticket, stream);
      try {
        return await command();
      } finally {
        void owner.leaveQueue.asEvent(ticket);
      }
    },
  };
  const security: Pick<LimitedSecurityLog, 'counts' | 'report'> = {
    counts: new Map(),
    report: (event) => void owner.report.asEvent({ ...event, fields: { ...event.fields, ...logFields() } }),
  };
  const state: ProcessState = {
    parts: () => owner.parts(),
    parkedMessages: () => owner.parkedMessages(),
    retryMessage: (id) => owner.retryMessage(id),
  };
  return [
    { provide: PasswordHasher, useValue: hasher },
    { provide: LoginQueues, useValue: logins },
    { provide: StreamQueue, useValue: streams },
    { provide: SecurityLog, useValue: security },
    { provide: ProcessState, useValue: state },
    HashDurations,
  ];
}

function resultOf<Result>(hashed: Hashed<Result>): Result {
  if ('result' in hashed) return hashed.result;
  throw new HashQueueFull(hashed.retryAfterSeconds);
}
