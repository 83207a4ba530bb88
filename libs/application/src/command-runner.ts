import { DomainError, type Decision, type DomainEvent } from '@keyfold/domain';
import {
  CommandIdReused,
  Contended,
  EventStore,
  HoldTaken,
  isOutage,
  isRetryable,
  WrongExpectedVersion,
  type Appended,
  type NewCommit,
  type StoreUnavailable,
} from '@keyfold/event-store';
import { initialOf, ListUpdates, StreamLoader, type Loaded, type StreamRef } from '@keyfold/projections';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from './clock.js';
import type { CommandTrace, CommandTraces } from './command-traces.js';
import { KeyedQueue } from './keyed-queue.js';
import type { Origin } from './origin.js';
import { securityEventsOf } from './security-log/commit-events.js';
import { noSecurityLog, SecurityLog } from './security-log/security-log.js';

export type { Origin } from './origin.js';

/**
 * Who wants it and which request it belongs to. `commandId` is given when the id comes from outside (first start, a message): then
 * a command that was done before is not done again. `causation` is the message that asked for it. `newStream`: the stream's id was made for this command, so nothing need be loaded.
 */
export type CommandContext = Origin &
  Readonly<{
    actor: string;
    causation?: string;
    commandId?: string;
    newStream?: true;
  }>;

/** Tries after conflicts with other writers of the stream, and the longest pause between two (milliseconds, full jitter). */
const ATTEMPTS = 6;
const LONGEST_PAUSE = 80;

/** What was decided, and the commit that says so. */
type Decided = Readonly<{ commit: NewCommit; decision: Decision<DomainEvent> }>;
type DecideOn<State> = (loaded: Loaded<State>) => Decided | undefined;

/** The one path of every change: load, decide, append, project. */
export class CommandRunner {
  readonly #queue = new KeyedQueue();
  #outage: { at: number; error: StoreUnavailable } | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
    private readonly lists: ListUpdates,
    private readonly clock: Clock,
    private readonly traces?: CommandTraces,
    private readonly security: SecurityLog = noSecurityLog,
  ) {}

  /**
   * Decides the command on the stream's state and stores what follows in one commit. Decisions of one stream run one after
   * another. Throws the decider's `DomainError`, `StoreUnavailable`, or `Contended` when the stream changes faster than it can be decided on.
   */
  run<State, Command extends { type: string }>(
    ref: StreamRef<State, Command>,
    command: NoInfer<Command>,
    context: CommandContext,
  ): Promise<void> {
    if (!this.traces) return this.#run(ref, command, context);
    return this.traces.follow(command.type, (trace) =>
      this.#run(ref, command, { ...context, traceparent: trace.traceparent }, trace),
    );
  }

  /**
   * Refuses early what the decider refuses on the stream's present state, so that a refused command does not pay for a password hash.
   * `run` decides again on the state of that moment.
   */
  async require<State, Command>(ref: StreamRef<State, Command>, command: NoInfer<Command>): Promise<void> {
    const [{ state }] = await this.loader.load(ref);
    ref.aggregate.decider.decide(state, command);
  }

  async #run<State, Command extends { type: string }>(
    ref: StreamRef<State, Command>,
    command: Command,
    context: CommandContext,
    trace?: CommandTrace,
  ): Promise<void> {
    const decideOn = ({ state, version }: Loaded<State>) => {
      const decision = ref.aggregate.decider.decide(state, command);
      return decision.events.length === 0 ? undefined : this.#commit(ref, version, command, decision, context);
    };
    const since = performance.now();
    const stored = await this.#queue.run(ref.stream, () =>
      this.#unlessDown(since, () => this.#append(ref, decideOn, requestHash(ref.stream, command.type), context, trace)),
    );
    if (stored?.outcome === 'appended') {
      for (const event of securityEventsOf(stored.commit, context)) this.security.report(event);
    }
    if (stored) await this.lists.appended(ref, context.correlation);
  }

  /** A command that waited for its stream while the store failed fails with it, instead of finding out one after another. */
  async #unlessDown<Result>(since: number, task: () => Promise<Result>): Promise<Result> {
    if (this.#outage && since < this.#outage.at) throw this.#outage.error;
    try {
      return await task();
    } catch (error) {
      if (isOutage(error)) this.#outage = { at: performance.now(), error };
      throw error;
    }
  }

  async #append<State>(
    ref: StreamRef<State>,
    decideOn: DecideOn<State>,
    hash: string,
    context: CommandContext,
    trace?: CommandTrace,
  ): Promise<Appended | undefined> {
    const { commandId, newStream } = context;
    const quick = commandId ? undefined : this.#decidedAtHand(ref, decideOn, newStream);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const decided = attempt === 1 && quick ? quick : await this.#decidedOnTruth(ref, decideOn, hash, commandId);
      if (!decided) return undefined;
      try {
        const append = () => this.store.append(decided.commit);
        const appended = await (trace ? trace.append(append) : append());
        this.loader.advance(ref, appended.commit);
        return appended;
      } catch (error) {
        if (error instanceof HoldTaken) throw refusalOf(error, decided.decision);
        if (isRetryable(error)) this.lists.unknown(ref, error, context.correlation);
        if (!(error instanceof WrongExpectedVersion)) throw error;
        if (decided !== quick) await sleep(Math.random() * LONGEST_PAUSE);
      }
    }
    throw new Contended(`stream ${ref.stream} changes too fast: ${ATTEMPTS} tries met another writer`);
  }

  /**
   * Decided on what is remembered, which spares a round trip: the store refuses it when the stream has moved on. What the decider
   * refuses, or finds nothing to do about, is decided again on the truth.
   */
  #decidedAtHand<State>(ref: StreamRef<State>, decideOn: DecideOn<State>, newStream?: true): Decided | undefined {
    const atHand = newStream ? initialOf(ref.aggregate) : this.loader.remembered(ref);
    try {
      return atHand && decideOn(atHand);
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  async #decidedOnTruth<State>(
    ref: StreamRef<State>,
    decideOn: DecideOn<State>,
    hash: string,
    commandId: string | undefined,
  ): Promise<Decided | undefined> {
    const [loaded] = await this.loader.load(ref);
    // Looked up after loading: the command is never decided on a state that it led to itself.
    if (commandId && (await this.#wasDone(commandId, hash))) return undefined;
    return decideOn(loaded);
  }

  /** Throws `CommandIdReused` when the id was used by another request. */
  async #wasDone(commandId: string, hash: string): Promise<boolean> {
    const earlier = await this.store.findCommand(commandId);
    if (earlier && earlier.command.hash !== hash) throw new CommandIdReused(commandId);
    return earlier !== undefined;
  }

  #commit(
    { stream, partition }: StreamRef<unknown>,
    version: number,
    command: { type: string },
    decision: Decision<DomainEvent>,
    {
      actor,
      session,
      correlation,
      clientCorrelation,
      causation,
      traceparent,
      commandId = randomUUID(),
    }: CommandContext,
  ): { commit: NewCommit; decision: Decision<DomainEvent> } {
    const commit = {
      stream,
      partition,
      version: version + 1,
      command: { id: commandId, type: command.type, hash: requestHash(stream, command.type) },
      at: this.clock.now(),
      actor,
      ...(session !== undefined && { session }),
      correlation,
      ...(clientCorrelation !== undefined && { clientCorrelation }),
      ...(causation !== undefined && { causation }),
      ...(traceparent !== undefined && { traceparent }),
      events: decision.events as readonly NewCommit['events'][number][],
      ...(decision.holds?.length ? { holds: decision.holds.map(({ key }) => key) } : {}),
    };
    return { commit, decision };
  }
}

/** What must be the same when a command id comes again. Secrets of a repeated request are sealed anew, so they are left out. */
const requestHash = (stream: string, type: string) =>
  createHash('sha256').update(`${type} ${stream}`).digest('base64url');

function refusalOf(taken: HoldTaken, { holds = [] }: Decision<DomainEvent>): Error {
  const hold = holds.find(({ key }) => key === taken.key);
  return hold ? new DomainError(hold.takenError) : taken;
}
