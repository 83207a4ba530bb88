import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { ActivityHistory, Clock, CommandRunner, Origin, UserNames } from '@keyfold/application';
import { WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { Projection, Projector, StreamLoader } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import type { BrokerModuleSettings, StoreAdapters } from '@keyfold/wiring';
import { randomUUID } from 'node:crypto';
import type { OperatorOutput } from './output/operator-output.js';

/** The parts of a process that operator commands use: of their own process, or of the one that owns the data folder. */
export type OperatorPorts = StoreAdapters &
  Readonly<{
    commands: CommandBus;
    queries: QueryBus;
    loader: StreamLoader;
    projection: Projection;
    runner: CommandRunner;
    names: UserNames;
    activity: ActivityHistory;
    /** Returns a sealer that can open the stored secrets. Throws `InvalidConfiguration`, `UnknownSealingKey` or `SealBroken` otherwise. */
    sealer: () => Promise<Sealer>;
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

/** The context of a command on RabbitMQ. */
export type BrokerRun = Readonly<{ settings: BrokerModuleSettings; output: OperatorOutput }>;

/** Returns the origin of a change that an operator makes. */
export const newOrigin = (): Origin => ({ correlation: randomUUID() });

/** Reports input that cannot be used. */
export async function refuseInput(reason: string, { output }: Pick<CommandRun, 'output'>): Promise<ExitCode> {
  await output.err(`${reason}. Nothing was changed`);
  return WRONG_USAGE;
}
