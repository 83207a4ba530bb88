import { Injectable, Optional } from '@nestjs/common';
import { DomainError, upcast, type Decision, type DomainEvent } from '@keyfold/domain';
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
import { hash, randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from './clock.js';
import { type CommandTrace, CommandTraces } from './command-traces.js';
import type { Origin } from '../origin.js';
import { securityEventsOf } from '../security-log/commit-events.js';
import { noSecurityLog, SecurityLog } from '../security-log/security-log.js';
import { InMemoryStreamQueue, StreamQueue } from './stream-queue.js';

/** The request or message that a command belongs to, and its actor. */
export type CommandContext = Origin &
  Readonly<{
    actor: string;
    /** The id of the message that caused the command, the name of an imported account (`import:openlist:<id there>`), or `CHOSEN_PASSWORD`. */
    causation?: string;
    /** The stream's id was created for this command, so there is nothing to load. */
    newStream?: true;
    /** The only version of the stream on which the command may be decided, for one that was planned on it. */
    version?: number;
  }>;

/** Attempts to append a command that conflicts with other writers of its stream. */
const ATTEMPTS = 6;
/** Longest pause between two attempts, in milliseconds (full jitter). */
const MAX_PAUSE = 80;

/** The events that a command stored, and the state with them. A command that changes nothing, or has run before, stores none. */
export type Outcome<State, Event> = Readonly<{ events: readonly Event[]; state: State }>;

/** A decision on a state, and the commit that stores it; undefined if nothing changes. */
type Decided<State, Event> = Readonly<{ state: State; decision: Decision<Event>; commit: NewCommit | undefined }>;
type DecideOn<State, Event> = (loaded: Loaded<State>) => Decided<State, Event>;

/** Runs every change: loads the stream, decides the command, appends the commit and updates the list. */
@Injectable()
export class CommandRunner {
  #outage: { at: number; error: StoreUnavailable } | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
    private readonly lists: ListUpdates,
    private readonly clock: Clock,
    @Optional() private readonly traces?: CommandTraces,
    private readonly security: SecurityLog = noSecurityLog,
    private readonly queue: StreamQueue = new InMemoryStreamQueue(),
  ) {}

  /**
   * Decides the command on the stream's state and stores the resulting events in one commit. Commands on the same stream run one at a
   * time.
   *
   * @throws the decider's `DomainError`; `CommandIdReused`, `StoreUnavailable`, or `Contended` if every attempt met a concurrent commit, or if
   * the stream is not at the version of the context.
   */
  run<State, Command extends { type: string }, Event extends DomainEvent>(
    ref: StreamRef<State, Command, Event>,
    command: NoInfer<Command>,
    context: CommandContext,
  ): Promise<Outcome<State, Event>> {
    if (!this.traces) return this.#run(ref, command, context);
    return this.traces.follow(command.type, (trace) =>
      this.#run(ref, command, { ...context, traceparent: trace.traceparent }, trace),
    );
  }

  /**
   * Throws the `DomainError` that the decider throws on the stream's current state, so that a refused command does not cost a password
   * hash. `run` decides again, because the state may change in between.
   */
  require<State, Command>(ref: StreamRef<State, Command>, command: NoInfer<Command>): Promise<void> {
    return this.check(ref, (state) => void ref.aggregate.decider.decide(state, command));
  }

  /** Throws what `check` throws on the stream's current state. */
  async check<State>(ref: StreamRef<State>, check: (state: State) => void): Promise<void> {
    const [{ state }] = await this.loader.load(ref);
    check(state);
  }

  async #run<State, Command extends { type: string }, Event extends DomainEvent>(
    ref: StreamRef<State, Command, Event>,
    command: Command,
    context: CommandContext,
    trace?: CommandTrace,
  ): Promise<Outcome<State, Event>> {
    const decideOn = ({ state, version }: Loaded<State>) => {
      if (version !== (context.version ?? version))
        throw new Contended(`the stream ${ref.stream} is no longer at version ${context.version}`);
      const decision = ref.aggregate.decider.decide(state, command);
      const commit = decision.events.length > 0 ? this.#commit(ref, version, command, decision, context) : undefined;
      return { state, decision, commit };
    };
    const since = performance.now();
    const append = () => this.#unlessDown(since, () => this.#append(ref, command, decideOn, context, trace));
    // Nobody else knows a new stream.
    const { appended, ...outcome } = await (context.newStream ? append() : this.queue.run(ref.stream, append));
    if (appended?.outcome === 'appended') {
      for (const event of securityEventsOf(appended.commit, context)) this.security.report(event);
    }
    if (appended) await this.lists.appended(ref, appended.commit, context.correlation);
    return outcome;
  }

  /** Fails queued commands at once if the store failed while they waited, so that each does not run into its own timeout. */
  async #unlessDown<Result>(since: number, task: () => Promise<Result>): Promise<Result> {
    if (this.#outage && since < this.#outage.at) throw this.#outage.error;
    try {
      return await task();
    } catch (error) {
      if (isOutage(error)) this.#outage = { at: performance.now(), error };
      throw error;
    }
  }

  async #append<State, Event extends DomainEvent>(
    ref: StreamRef<State, never, Event>,
    command: { type: string },
    decideOn: DecideOn<State, Event>,
    context: CommandContext,
    trace?: CommandTrace,
  ): Promise<Outcome<State, Event> & { appended?: Appended }> {
    const { commandId, newStream, version } = context;
    const optimistic = commandId || version !== undefined ? undefined : this.#decideOnCached(ref, decideOn, newStream);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const decided =
        attempt === 1 && optimistic ? optimistic : await this.#decideOnLoaded(ref, command, decideOn, context);
      const { state, commit } = decided;
      if (!commit) return { events: [], state };
      try {
        const append = () => this.store.append(commit);
        const appended = await (trace ? trace.append(append) : append());
        // A repeated registration has another account id, and so another stream, than the first one.
        if (appended.commit.stream !== ref.stream) return { events: [], state };
        this.loader.advance(ref, appended.commit);
        return { appended, ...this.#outcomeOf(ref, decided, appended) };
      } catch (error) {
        if (error instanceof HoldTaken) throw holdRefusal(error, decided.decision);
        if (isRetryable(error)) this.lists.unknown(ref, error, context.correlation);
        if (!(error instanceof WrongExpectedVersion)) throw error;
        if (decided !== optimistic) await sleep(Math.random() * MAX_PAUSE);
      }
    }
    throw new Contended(`cannot append to stream ${ref.stream}: ${ATTEMPTS} attempts met concurrent commits`);
  }

  #outcomeOf<State, Event extends DomainEvent>(
    ref: StreamRef<State, never, Event>,
    { state: before, decision }: Decided<State, Event>,
    { outcome, commit }: Appended,
  ): Outcome<State, Event> {
    const { decider, upcasters } = ref.aggregate;
    // A replayed commit may be that of an earlier request.
    const isReplay = outcome === 'replayed';
    const events = isReplay ? commit.events.map((event) => upcast(upcasters, event) as Event) : decision.events;
    const after = this.loader.remembered(ref);
    if (after?.version === commit.version) return { events, state: after.state };
    return { events, state: events.reduce((state, event) => decider.evolve(state, event), before) };
  }

  /**
   * Decides on the cached state, which may be stale, and so saves a round trip: the store rejects the commit if the stream has moved on.
   * Returns undefined if the decider refuses the command or nothing changes, because only the current state can confirm that.
   */
  #decideOnCached<State, Event>(
    ref: StreamRef<State>,
    decideOn: DecideOn<State, Event>,
    newStream?: true,
  ): Decided<State, Event> | undefined {
    const cached = newStream ? initialOf(ref.aggregate) : this.loader.remembered(ref);
    try {
      const decided = cached && decideOn(cached);
      return decided?.commit && decided;
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  async #decideOnLoaded<State, Event>(
    ref: StreamRef<State>,
    command: { type: string },
    decideOn: DecideOn<State, Event>,
    context: CommandContext,
  ): Promise<Decided<State, Event>> {
    const [loaded] = await this.loader.load(ref);
    // Checked after loading, so that a command is never decided on a state that already contains its own commit.
    if (await this.#wasRun(ref, command, context))
      return { state: loaded.state, decision: { events: [] }, commit: undefined };
    return decideOn(loaded);
  }

  /** Returns whether the command has run before. Throws `CommandIdReused` if the id belongs to a different command. */
  async #wasRun({ stream }: StreamRef<unknown>, { type }: { type: string }, context: CommandContext): Promise<boolean> {
    const { commandId, requestHash = hashOf(stream, type) } = context;
    if (commandId === undefined) return false;
    const earlier = await this.store.findCommand(commandId);
    if (earlier && earlier.command.hash !== requestHash) throw new CommandIdReused(commandId);
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
      // Increases with time, so that the unique index on it grows at its end.
      commandId = randomUUIDv7(),
      requestHash = hashOf(stream, command.type),
    }: CommandContext,
  ): NewCommit {
    return {
      stream,
      partition,
      version: version + 1,
      command: { id: commandId, type: command.type, hash: requestHash },
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
  }
}

/**
 * Returns the hash by which a repeated command id is recognised as the same command. It covers type and stream only: sealing the secret
 * of a repeated request gives a different text each time.
 */
const hashOf = (stream: string, type: string) => hash('sha256', `${type} ${stream}`, 'base64url');

/** Returns the refusal that the decider chose for the taken hold. */
function holdRefusal(taken: HoldTaken, { holds = [] }: Decision<DomainEvent>): Error {
  const hold = holds.find(({ key }) => key === taken.key);
  return hold ? new DomainError(hold.takenError) : taken;
}
