import type { AccountCommand } from '../src/account/account.commands.js';
import { readUsernameHold, usernameHoldPrefix } from '../src/account/account.holds.js';
import type { NameClaim } from '../src/account/name-claim.js';
import type { Aggregate } from '../src/kernel/aggregate.js';
import { DomainError } from '../src/kernel/domain-error.js';
import type { DomainEvent, StoredEvent } from '../src/kernel/event.js';
import type { SessionCommand } from '../src/session/session.decider.js';
import type { SshKeyRingCommand } from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import type { RecordSshKeyUse } from '../src/ssh-key-use/ssh-key-use.decider.js';
import { nameHashOf, NOON } from './account.events.js';
import { fold } from './fold.js';

type WorldCommand = AccountCommand | SessionCommand | SshKeyRingCommand | RecordSshKeyUse;

/** A commit of the world, with the command that led to it, so that a property can compare what was asked with what was kept. */
export type WorldCommit = Readonly<{
  stream: string;
  version: number;
  command: WorldCommand;
  events: readonly StoredEvent[];
  holds: readonly string[];
  at: number;
}>;

/** An event log in memory with the rules of the store: a version of a stream is written once, a hold is taken once. */
export class World {
  readonly log: WorldCommit[] = [];
  now = NOON;
  private readonly holds = new Map<string, WorldCommit>();

  /** The state of a stream at this moment, and the version that it has. */
  load<Id, State, Command, Event extends DomainEvent>(aggregate: Aggregate<Id, State, Command, Event>, id: Id) {
    const commits = this.log.filter((commit) => commit.stream === aggregate.streamOf(id));
    const events = commits.flatMap((commit) => commit.events);
    return { state: fold(aggregate, events), version: commits.length };
  }

  /** What is known now about a wanted name: its next turn, or that somebody has it. */
  claim(username: string): NameClaim {
    const nameHash = nameHashOf(username);
    const last = this.lastHold(nameHash);
    if (!last) return { username, nameHash, turn: 1 };
    if (!last.released) return { username, nameHash, turn: 'taken' };
    const { stream, at } = last.commit;
    return { username, nameHash, turn: last.turn + 1, released: { by: Number(stream.slice('account-'.length)), at } };
  }

  /** The last hold of a name in byte order, and the commit that took it. */
  lastHold(nameHash: string) {
    const key = [...this.holds.keys()]
      .filter((hold) => hold.startsWith(usernameHoldPrefix(nameHash)))
      .toSorted()
      .at(-1);
    return key === undefined ? undefined : { ...readUsernameHold(key), commit: this.holds.get(key)! };
  }

  /** Keeps the commit, or nothing: `stale` when its version was written by somebody else, a key when that hold is taken. */
  append(commit: WorldCommit): 'kept' | 'stale' | Readonly<{ takenHold: string }> {
    const version = this.log.filter((other) => other.stream === commit.stream).length;
    if (version !== commit.version - 1) return 'stale';
    const takenHold = commit.holds.find((key) => this.holds.has(key));
    if (takenHold !== undefined) return { takenHold };
    for (const key of commit.holds) this.holds.set(key, commit);
    this.log.push(commit);
    return 'kept';
  }
}

/**
 * Handles a command as a process among others does: load, decide, append, and again when somebody was faster. Every `yield` is a
 * moment at which others may act. A refusal changes nothing.
 */
export function* handle<Id, State, Command extends WorldCommand, Event extends DomainEvent>(
  world: World,
  aggregate: Aggregate<Id, State, Command, Event>,
  id: Id,
  commandFor: (state: State) => Command,
): Generator<void, void> {
  for (;;) {
    const { state, version } = world.load(aggregate, id);
    yield;
    const command = commandFor(state);
    const decision = unlessRefused(() => aggregate.decider.decide(state, command));
    if (!decision || decision.events.length === 0) return;
    const holds = (decision.holds ?? []).map((hold) => hold.key);
    const stream = aggregate.streamOf(id);
    const events = decision.events.map(asStored);
    const outcome = world.append({ stream, version: version + 1, command, events, holds, at: world.now });
    if (outcome !== 'stale') return;
    yield;
  }
}

/** The event as a store gives it back. */
const asStored = (event: DomainEvent) => JSON.parse(JSON.stringify(event)) as StoredEvent;

function unlessRefused<Result>(decide: () => Result): Result | undefined {
  try {
    return decide();
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
