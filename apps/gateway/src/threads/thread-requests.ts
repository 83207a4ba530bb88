import type {
  LeaveQueues,
  LoginIdentity,
  LoginQueues,
  SecurityEvent,
  SecurityLog,
  StreamQueue,
} from '@keyfold/application';
import type { Part } from '@keyfold/process';
import { HashQueueFull, type HashGroups, type PasswordHasher } from '@keyfold/security';

import type { ParkedMessage, ProcessState } from './process-state.js';

/** The services that a process has once, and a function that writes a line to its log. */
export type ProcessServices = Readonly<{
  hasher: PasswordHasher;
  logins: LoginQueues;
  streams: StreamQueue;
  security: SecurityLog;
  state: ProcessState;
  log: (line: string) => void;
}>;

/** The result of a hash, or the fields of a `HashQueueFull`, because errors lose their class between threads. */
export type Hashed<Result> = Readonly<{ result: Result } | { retryAfterSeconds: number }>;

/** Answers the requests of one serving thread. */
export class ThreadRequests {
  readonly #tickets = new Map<number, LeaveQueues>();
  #hasEnded = false;

  constructor(private readonly services: ProcessServices) {}

  hash(staticHash: string, groups?: HashGroups): Promise<Hashed<string>> {
    return hashed(this.services.hasher.hash(staticHash, groups));
  }

  hashFor(actor: string, staticHash: string): Promise<Hashed<string>> {
    return hashed(this.services.hasher.hashFor(actor, staticHash));
  }

  verify(staticHash: string, passwordHash: string, groups?: HashGroups): Promise<Hashed<boolean>> {
    return hashed(this.services.hasher.verify(staticHash, passwordHash, groups));
  }

  /** Enters the queues of a login. `ticket` identifies it for `leaveQueue`. */
  async enterLoginQueues(
    ticket: number,
    identity: LoginIdentity,
    isKnown: boolean,
  ): Promise<'entered' | 'full' | 'known only'> {
    const entered = await this.services.logins.enter(identity, isKnown);
    if (typeof entered === 'string') return entered;
    this.#hold(ticket, entered);
    return 'entered';
  }

  /** Enters the queue of a stream. `ticket` identifies the caller for `leaveQueue`. */
  enterStreamQueue(ticket: number, stream: string): Promise<void> {
    return new Promise((entered) => {
      const command = () =>
        new Promise<void>((left) => {
          this.#hold(ticket, left);
          entered();
        });
      void this.services.streams.run(stream, command);
    });
  }

  leaveQueue(ticket: number): void {
    this.#tickets.get(ticket)?.();
    this.#tickets.delete(ticket);
  }

  report(event: SecurityEvent): void {
    this.services.security.report(event);
  }

  parts(): Promise<readonly Part[]> {
    return this.services.state.parts();
  }

  parkedMessages(): Promise<readonly ParkedMessage[] | undefined> {
    return this.services.state.parkedMessages();
  }

  retryMessage(id: string): Promise<boolean | undefined> {
    return this.services.state.retryMessage(id);
  }

  /** Writes a line of the thread's log. */
  log(line: string): void {
    this.services.log(line);
  }

  /** Frees what the thread held when it ended. */
  end(): void {
    this.#hasEnded = true;
    for (const ticket of this.#tickets.keys()) this.leaveQueue(ticket);
  }

  #hold(ticket: number, leave: LeaveQueues): void {
    if (this.#hasEnded) leave();
    else this.#tickets.set(ticket, leave);
  }
}

async function hashed<Result>(hash: Promise<Result>): Promise<Hashed<Result>> {
  try {
    return { result: await hash };
  } catch (error) {
    if (error instanceof HashQueueFull) return { retryAfterSeconds: error.retryAfterSeconds };
    throw error;
  }
}
