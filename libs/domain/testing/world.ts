import type { AccessTokensCommand } from '../src/named-secrets/access-tokens.js';
import type { AppPasswordsCommand } from '../src/named-secrets/app-passwords.js';
import type { AccountCommand } from '../src/account/account.commands.js';
import { parseUsernameHold, usernameHoldPrefix } from '../src/account/account.holds.js';
import type { NameClaim } from '../src/account/name-rules.js';
import type { Aggregate } from '../src/kernel/aggregate.js';
import { DomainError } from '../src/kernel/domain-error.js';
import type { DomainEvent, StoredEvent } from '../src/kernel/event.js';
import type { SessionCommand } from '../src/session/session.decider.js';
import type { SshKeyRingCommand } from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import type { RecordSshKeyUse } from '../src/ssh-key-use/ssh-key-use.decider.js';
import { nameHashOf, NOON } from './account.events.js';
import { fold } from './fold.js';

type WorldCommand =
  AccessTokensCommand | AppPasswordsCommand | AccountCommand | SessionCommand | SshKeyRingCommand | RecordSshKeyUse;

/** A commit with its command, so that a property can compare the two. */
export type WorldCommit = Readonly<{
  stream: string;
  version: number;
  command: WorldCommand;
  events: readonly StoredEvent[];
  holds: readonly string[];
  at: number;
}>;

/** An in-memory event log with the rules of the store: each version of a stream and each hold can be written only once. */
export class World {
  readonly log: WorldCommit[] = [];
  now = NOON;
  private readonly holds = new Map<string, WorldCommit>();

  /** Returns the current state and version of a stream. */
  load<Id, State, Command, Event extends DomainEvent>(aggregate: Aggregate<Id, State, Command, Event>, id: Id) {
    const commits = this.log.filter((commit) => commit.stream === aggregate.streamOf(id));
    const events = commits.flatMap((commit) => commit.events);
    return { state: fold(aggregate, events), version: commits.length };
  }

  /** Returns the current claim of a name: its next free turn, or `taken`. */
  claim(username: string): NameClaim {
    const nameHash = nameHashOf(username);
    const last = this.lastHold(nameHash);
    if (!last) return { username, nameHash, turn: 1 };
    if (!last.released) return { username, nameHash, turn: 'taken' };
    const { stream, at } = last.commit;
    return { username, nameHash, turn: last.turn + 1, released: { by: Number(stream.slice('account-'.length)), at } };
  }

  /** Returns the last hold of a name in byte order, and the commit that took it. */
  lastHold(nameHash: string) {
    const key = [...this.holds.keys()]
      .filter((hold) => hold.startsWith(usernameHoldPrefix(nameHash)))
      .toSorted()
      .at(-1);
    return key === undefined ? undefined : { ...parseUsernameHold(key), commit: this.holds.get(key)! };
  }

  /** Stores the commit. Stores nothing and returns `stale` if its version exists, or the key of a hold that is taken. */
  append(commit: WorldCommit): 'stored' | 'stale' | Readonly<{ takenHold: string }> {
    const version = this.log.filter((other) => other.stream === commit.stream).length;
    if (version !== commit.version - 1) return 'stale';
    const takenHold = commit.holds.find((key) => this.holds.has(key));
    if (takenHold !== undefined) return { takenHold };
    for (const key of commit.holds) this.holds.set(key, commit);
    this.log.push(commit);
    return 'stored';
  }
}

/**
 * Handles a command as one of several processes: loads, decides, appends, and retries after a conflict. Other clients may act at every
 * `yield`. A refusal changes nothing.
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

/** Returns the event as a store returns it. */
const asStored = (event: DomainEvent) => JSON.parse(JSON.stringify(event)) as StoredEvent;

function unlessRefused<Result>(decide: () => Result): Result | undefined {
  try {
    return decide();
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
