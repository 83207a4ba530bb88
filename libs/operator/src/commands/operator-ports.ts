import type { CommandRunner, NewPasswords, UserNames } from '@keyfold/application';
import type { CommitFeed, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import type { ParkedAccounts } from '@keyfold/messaging';
import type { Projection, Projector, ReadModelStore } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import type { OperatorOutput } from '../output/operator-output.js';

/** What the operator's commands work on, in the process of the command itself or in the one that owns the data folder. */
export type OperatorPorts = Readonly<{
  store: EventStore;
  feed: CommitFeed;
  compaction: StreamCompaction;
  readModels: ReadModelStore;
  leases: FeedLeases;
  relayLeases: FeedLeases;
  parkedRelays: ParkedAccounts;
  projection: Projection;
  commands: CommandRunner;
  names: UserNames;
  /** With keys that open what is stored. Throws `InvalidConfiguration`, `UnknownSealingKey` or `SealBroken` for missing or other keys. */
  sealer: () => Promise<Sealer>;
  /** Throws like `sealer`. */
  newPasswords: () => Promise<NewPasswords>;
  /** A projector for the time of a command; undefined where the process runs one anyway. */
  newProjector?: (onError: (error: unknown) => void) => Projector;
  /** Why this process publishes no events, or undefined when it does. A process that exists for one command does not have it. */
  relayProblem?: () => string | undefined;
  /** No other process works on the store while the command does, so what is missing now does not come by itself. */
  isAlone: boolean;
  /** How long sessions are kept after their token has expired. */
  sessionDays: number;
  /** Unix milliseconds. */
  now: () => number;
}>;

/** What a command is run with. */
export type CommandRun = Readonly<{ ports: OperatorPorts; output: OperatorOutput; signal: AbortSignal }>;
