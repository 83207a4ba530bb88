import type {
  LeaveQueues,
  LoginIdentity,
  LoginQueues,
  SecurityEvent,
  SecurityLog,
  StreamQueue,
} from '@keyfold/application';
import { HashQueueFull, type HashGroups, type PasswordHasher } from '@keyfold/security';
import type { Hashed, OwnerCalls } from './thread-calls.js';

/** The services that a process has once, and a function that writes a line to its log. */
export type ProcessServices = Readonly<{
  hasher: PasswordHasher;
  logins: LoginQueues;
  streams: StreamQueue;
  security: SecurityLog;
  log: (line: string) => void;
}>;

/** Answers the requests of one serving thread. */
export class ThreadRequests implements OwnerCalls {
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
