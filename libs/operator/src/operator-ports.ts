import type { INestApplicationContext } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ActivityHistory, Clock, CommandRunner, UserNames } from '@keyfold/application';
import { Projection, StreamLoader } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { adaptersOf } from '@keyfold/wiring';
import type { OperatorPorts } from './command-run.js';

/** Returns the ports of commands from the container of their process. */
export function portsOf(
  container: INestApplicationContext | ModuleRef,
  own: Pick<OperatorPorts, 'isAlone' | 'sessionDays' | 'newProjector' | 'relayProblem'>,
): OperatorPorts {
  const anywhere = { strict: false };
  return {
    ...adaptersOf(container),
    commands: container.get(CommandBus, anywhere),
    queries: container.get(QueryBus, anywhere),
    loader: container.get(StreamLoader, anywhere),
    projection: container.get(Projection, anywhere),
    runner: container.get(CommandRunner, anywhere),
    names: container.get(UserNames, anywhere),
    activity: container.get(ActivityHistory, anywhere),
    clock: container.get(Clock, anywhere),
    sealer: () => container.resolve(Sealer, undefined, anywhere),
    ...own,
  };
}
