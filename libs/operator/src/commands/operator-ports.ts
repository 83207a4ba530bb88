import type { ActivityHistory, Clock, CommandRunner, NewPasswords, UserNames } from '@keyfold/application';
import type { CommitFeed, Counter, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import type { ParkedAccounts } from '@keyfold/messaging';
import type { Projection, Projector, ReadModelStore, TokenUses, StreamLoader } from '@keyfold/projections';
import type { Sealer, ThrottleStore } from '@keyfold/security';
import type { OperatorOutput } from '../output/operator-output.js';

/** The ports that operator commands use, in their own process or in the one that owns the data folder. */
export type OperatorPorts = Readonly<{
  store: EventStore;
  feed: CommitFeed;
  compaction: StreamCompaction;
  counter: Counter;
  readModels: ReadModelStore;
  tokenUses: TokenUses;
  leases: FeedLeases;
  relayLeases: FeedLeases;
  parkedRelays: ParkedAccounts;
  throttle: ThrottleStore;
  loader: StreamLoader;
  projection: Projection;
  runner: CommandRunner;
  names: UserNames;
  activity: ActivityHistory;
  /** Returns a sealer that can open the stored secrets. Throws `InvalidConfiguration`, `UnknownSealingKey` or `SealBroken` otherwise. */
  sealer: () => Promise<Sealer>;
  /** Throws like `sealer`. */
  newPasswords: () => Promise<NewPasswords>;
  /** Creates a projector for the duration of a command; undefined if the process runs one already. */
  newProjector?: (onError: (error: unknown) => void) => Projector;
  /** Returns why this process publishes no events, or undefined if it does. Missing in a process that runs a single command. */
  relayProblem?: () => string | undefined;
  /** Whether no other process can change the store during the command, so that stale documents stay stale. */
  isAlone: boolean;
  /** Days for which a session is kept after its token expired. */
  sessionDays: number;
  clock: Clock;
}>;

/** The context of a running command. `signal` stops it at the next step. */
export type CommandRun = Readonly<{ ports: OperatorPorts; output: OperatorOutput; signal: AbortSignal }>;
