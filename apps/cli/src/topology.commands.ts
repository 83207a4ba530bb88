import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { BROKER_SETTINGS } from './broker-settings.help.js';

const APPLY = `
Makes the exchanges, queues, bindings and policies that are missing. Changes and deletes nothing that is there: what differs is shown
with what to do about it, and the exit status is 1. Repeating it does no harm.

A standalone process does the same by itself; a worker only looks and says what is missing.
${BROKER_SETTINGS}
Bindings and policies are looked at through the management API. Without it the commands that set the policies are shown instead.`;

const DIFF = `
For each exchange, queue, binding and policy: same, missing, different (with what differs and what to do about it), or unknown where
it cannot be compared. The exit status is 1 when something is missing or different, or
the management API refuses the user. Changes nothing.
${BROKER_SETTINGS}
Bindings and policies are looked at through the management API. Without it the commands that set the policies are shown instead.`;

/** `topology`. */
export function addTopologyCommands(program: Command, { onBroker }: Actions): void {
  const topology = program
    .command('topology')
    .summary('look after what RabbitMQ needs')
    .description('Looks after the exchanges, queues, bindings and policies that RabbitMQ needs.');
  topology
    .command('apply')
    .summary('make what is missing')
    .description('Makes what is missing.')
    .addHelpText('after', APPLY)
    .action(() => onBroker({ subject: 'topology', command: 'apply' }));
  topology
    .command('diff')
    .summary('show what is missing or different')
    .description('Shows what is missing or different.')
    .addHelpText('after', DIFF)
    .action(() => onBroker({ subject: 'topology', command: 'diff' }));
}
