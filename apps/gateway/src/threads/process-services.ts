import type { Provider } from '@nestjs/common';
import {
  InMemoryLoginQueues,
  InMemoryStreamQueue,
  LoginQueues,
  SecurityLog,
  StreamQueue,
  type LeaveQueues,
  type LoginIdentity,
  type SecurityEvent,
} from '@keyfold/application';
import { securityLogProvider } from '@keyfold/process';
import { Argon2PasswordHasher, HashQueueFull, PasswordHasher, type HashGroups } from '@keyfold/security';
import type { BirpcReturn } from 'birpc';
import { HashDurations } from '../metrics/measure-gateway.js';
import type { Hashed, OwnerCalls, ThreadCalls } from './thread-calls.js';

/**
 * Provides the services that a process has once, however many of its threads serve: the queues of hashes, logins and streams, and the
 * security log.
 */
export const processServices = (hashing: Readonly<{ concurrency: number; maxWaiting: number }>): Provider[] => [
  securityLogProvider,
  HashDurations,
  {
    provide: PasswordHasher,
    inject: [HashDurations],
    useFactory: (durations: HashDurations) =>
      new Argon2PasswordHasher({ ...hashing, onHashed: (seconds) => durations.observe(seconds) }),
  },
  { provide: LoginQueues, useClass: InMemoryLoginQueues },
  { provide: StreamQueue, useClass: InMemoryStreamQueue },
];

/** The thread that owns the process, as a serving thread sees it. */
type Owner = BirpcReturn<OwnerCalls, ThreadCalls>;

/**
 * Provides the services that a process has once by calling those of the owner. The owner measures them, so the counts here stay 0.
 * `logFields` returns the fields that a log line of this thread has.
 */
export const ownerServices = (owner: Owner, logFields: () => Readonly<Record<string, string>>): Provider[] => [
  { provide: PasswordHasher, useValue: new OwnersPasswordHasher(owner) },
  { provide: LoginQueues, useValue: new OwnersLoginQueues(owner) },
  { provide: StreamQueue, useValue: new OwnersStreamQueue(owner) },
  { provide: SecurityLog, useValue: new OwnersSecurityLog(owner, logFields) },
  HashDurations,
];

class OwnersPasswordHasher extends PasswordHasher {
  readonly waiting = 0;
  readonly running = 0;
  readonly refused = 0;

  constructor(private readonly owner: Owner) {
    super();
  }

  async hash(staticHash: string, groups?: HashGroups): Promise<string> {
    return resultOf(await this.owner.hash(staticHash, groups));
  }

  async hashFor(actor: string, staticHash: string): Promise<string> {
    return resultOf(await this.owner.hashFor(actor, staticHash));
  }

  async verify(staticHash: string, passwordHash: string, groups?: HashGroups): Promise<boolean> {
    return resultOf(await this.owner.verify(staticHash, passwordHash, groups));
  }
}

function resultOf<Result>(hashed: Hashed<Result>): Result {
  if ('result' in hashed) return hashed.result;
  throw new HashQueueFull(hashed.retryAfterSeconds);
}

/** Numbers the tickets of this thread in the owner's queues. */
let tickets = 0;

class OwnersLoginQueues extends LoginQueues {
  constructor(private readonly owner: Owner) {
    super();
  }

  async enter(identity: LoginIdentity, isKnown: boolean): Promise<LeaveQueues | 'full' | 'known only'> {
    const ticket = tickets++;
    const outcome = await this.owner.enterLoginQueues(ticket, identity, isKnown);
    return outcome === 'entered' ? () => void this.owner.leaveQueue.asEvent(ticket) : outcome;
  }
}

class OwnersStreamQueue extends StreamQueue {
  constructor(private readonly owner: Owner) {
    super();
  }

  async run<Result>(stream: string, command: () => Promise<Result>): Promise<Result> {
    const ticket = tickets++;
    await this.owner.enterStreamQueue(ticket, stream);
    try {
      return await command();
    } finally {
      void this.owner.leaveQueue.asEvent(ticket);
    }
  }
}

class OwnersSecurityLog extends SecurityLog {
  readonly counts = new Map<never, never>();

  constructor(
    private readonly owner: Owner,
    private readonly logFields: () => Readonly<Record<string, string>>,
  ) {
    super();
  }

  report(event: SecurityEvent): void {
    void this.owner.report.asEvent({ ...event, fields: { ...event.fields, ...this.logFields() } });
  }
}
