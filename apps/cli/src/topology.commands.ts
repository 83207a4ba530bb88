import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { BROKER_SETTINGS } from './broker-settings.help.js';

const MANAGEMENT_API = `
Bindings and policies are compared through the management API. Without it, the commands that set the policies are shown instead.`;

const APPLY = `
Creates missing exchanges, queues, bindings and policies. Never changes or deletes existing ones: differences are shown with advice, and
the exit status is 1. Safe to repeat.

A standalone process does this itself. A worker only checks the topology and logs what is missing.
${BROKER_SETTINGS}${MANAGEMENT_API}`;

const DIFF = `
Shows for each exchange, queue, binding and policy: same, missing, different (with the difference and advice), or unknown if it cannot be
compared. The exit status is 1 if something is missing or different, or if the management API rejects the user. Changes nothing.
${BROKER_SETTINGS}${MANAGEMENT_API}`;

/** Adds `topology`. */
export function addTopologyCommands(program: Command, { onBroker }: Actions): void {
  const topology = program
    .command('topology')
    .summary('manage the topology of RabbitMQ')
    .description('Manages the exchanges, queues, bindings and policies in RabbitMQ.');
  topology
    .command('apply')
    .summary('create missing parts of the topology')
    .description('Creates missing parts of the topology.')
    .addHelpText('after', APPLY)
    .action(() => onBroker({ subject: 'topology', command: 'apply' }));
  topology
    .command('diff')
    .summary('show missing and different parts of the topology')
    .description('Shows missing and different parts of the topology.')
    .addHelpText('after', DIFF)
    .action(() => onBroker({ subject: 'topology', command: 'diff' }));
}
