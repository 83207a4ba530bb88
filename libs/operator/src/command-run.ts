import type { INestApplicationContext } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { UnknownElementException } from '@nestjs/core/errors/exceptions/unknown-element.exception.js';
import { CommandBus, QueryBus, type Command, type Query } from '@nestjs/cqrs';
import { Clock, CommandRunner, UserNames, type Origin } from '@keyfold/application';
import { MirrorBlocked, OpenListMirror, OpenListRefused, OpenListUnavailable } from '@keyfold/openlist';
import { FAILED, InvalidConfiguration, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { Projection, StreamLoader, type Projector } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { adaptersOf, type BrokerModuleSettings, type StoreAdapters } from '@keyfold/wiring';
import { randomUUID } from 'node:crypto';

/** The parts of a process that operator commands use: of their own process, or of the one that owns the data folder. */
export type OperatorPorts = StoreAdapters &
  Readonly<{
    commands: Readonly<{ execute<Result>(command: Command<Result>): Promise<Result> }>;
    queries: Readonly<{ execute<Result>(query: Query<Result>): Promise<Result> }>;
    loader: StreamLoader;
    projection: Projection;
    names: UserNames;
    /** Returns the runner for changes that no command of the application makes. */
    runner: () => Promise<CommandRunner>;
    /** Returns a sealer that can open the stored secrets. Throws `InvalidConfiguration`, `UnknownSealingKey` or `SealBroken` otherwise. */
    sealer: () => Promise<Sealer>;
    /** Returns the mirrors of the accounts in OpenList. Throws `InvalidConfiguration` if there is no OpenList, and what `sealer` throws. */
    mirror: () => Promise<OpenListMirror>;
    /** Creates a projector for the duration of a command; undefined if the process runs one already. */
    newProjector?: (onError: (error: unknown) => void) => Projector;
    /** Returns why this process publishes no events, or undefined if it does. Missing in a process that runs a single command. */
    relayProblem?: () => string | undefined;
    /** Whether no other process can change the store during the command, so that stale documents stay stale. */
    isAlone: boolean;
    /** Days for which a session is kept after its token expired. */
    sessionDays: number;
    /** Days for which RabbitMQ keeps published events. */
    eventLogDays: number;
    clock: Clock;
  }>;

/** Returns the ports of commands from the container of their process. */
export function portsOf(
  container: INestApplicationContext | ModuleRef,
  own: Pick<OperatorPorts, 'isAlone' | 'sessionDays' | 'eventLogDays' | 'newProjector' | 'relayProblem'>,
): OperatorPorts {
  const anywhere = { strict: false };
  return {
    ...adaptersOf(container),
    commands: container.get(CommandBus, anywhere),
    queries: container.get(QueryBus, anywhere),
    loader: container.get(StreamLoader, anywhere),
    projection: container.get(Projection, anywhere),
    names: container.get(UserNames, anywhere),
    runner: async () => container.get(CommandRunner, anywhere),
    clock: container.get(Clock, anywhere),
    sealer: () => container.resolve(Sealer, undefined, anywhere),
    mirror: async () => mirrorIn(container),
    ...own,
  };
}

/** Returns the mirrors of the accounts from the container of a process, which has them only behind an OpenList. */
function mirrorIn(container: INestApplicationContext | ModuleRef): OpenListMirror {
  try {
    return container.get(OpenListMirror, { strict: false });
  } catch (error) {
    if (error instanceof UnknownElementException)
      throw noOpenlist('Set it and KEYFOLD_OPENLIST_TOKEN for the running process, and restart it');
    throw error;
  }
}

export const noOpenlist = (remedy: string): InvalidConfiguration =>
  new InvalidConfiguration([`KEYFOLD_OPENLIST_URL: is required for the commands of OpenList. ${remedy}`]);

/** Returns why OpenList did not do something, with the remedy; undefined for other errors. */
function openlistProblemOf(error: unknown): string | undefined {
  if (error instanceof OpenListUnavailable)
    return `${error.message}. Check KEYFOLD_OPENLIST_URL and OpenList, then run the command again`;
  if (error instanceof MirrorBlocked) return error.message;
  if (!(error instanceof OpenListRefused)) return undefined;
  return error.code === 401
    ? 'OpenList refuses KEYFOLD_OPENLIST_TOKEN. Set it to the static token of OpenList'
    : `${error.message}. Its log says why`;
}

/** Runs a command on the mirrors of the accounts, and reports an OpenList that is down or refuses. */
export async function onMirrors(
  { ports, output }: CommandRun,
  act: (mirror: OpenListMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const mirror = await ports.mirror();
  try {
    return await act(mirror);
  } catch (error) {
    const problem = openlistProblemOf(error);
    if (problem === undefined) throw error;
    await output.err(problem);
    return FAILED;
  }
}

/** The progress of a command: `done` of `total`, in `unit`, a singular noun. */
export type Progress = Readonly<{ done: number; total: number; unit: string }>;

/** The output of a command. Each promise resolves when the next line can be written. */
export type OperatorOutput = Readonly<{
  /** Writes a line of the result. */
  out(line: string): Promise<void>;
  /** Writes a warning, an error or another line that is not part of the result. */
  err(line: string): Promise<void>;
  /** Shows the progress of a long command. Optional. */
  progress?(progress: Progress): Promise<void>;
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
