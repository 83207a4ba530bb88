import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { positiveIntegerArgument } from './arguments.js';
import { BROKER_SETTINGS } from './broker-settings.help.js';

const QUEUE = `
A command of another service is parked if no retry can help: it is malformed, has an unknown type or is refused. It stays in the queue
keyfold.commands.parked until an operator decides. A message without an id is identified by the hash of its body (#...).
${BROKER_SETTINGS}`;

const LIST = `
Shows for each command: id, type, reason, number of attempts, time of the first failure, and size. Changes nothing.
${QUEUE}`;

const SHOW = `
Shows a parked command as JSON, including headers and body. The exit status is 1 if no command has this id. Changes nothing.
${QUEUE}`;

const REDRIVE = `
Resends parked commands to keyfold.commands.q as if for the first time; by default all of them. Each is removed from the parked commands
only after RabbitMQ has confirmed its copy. The exit status is 1 if no command matches.
${QUEUE}`;

const DROP = `
Permanently deletes the parked commands with this id, and prints a line with the reason for each.
${QUEUE}`;

type ListOptions = Readonly<{ type?: string; json?: boolean }>;
type RedriveOptions = Readonly<{ id?: string; type?: string; limit?: number; dryRun?: boolean }>;

/** Adds `queue`. */
export function addQueueCommands(program: Command, { onBroker }: Actions): void {
  const queue = program
    .command('queue')
    .summary('manage parked commands of other services')
    .description('Manages parked commands of other services.');
  queue
    .command('list')
    .summary('list parked commands')
    .description('Lists parked commands.')
    .option('--type <type>', 'only commands of this type, for example ssh-key.use')
    .option('--json', 'print one JSON array')
    .addHelpText('after', LIST)
    .action(({ type, json = false }: ListOptions) => onBroker({ subject: 'queue', command: 'list', type, json }));
  queue
    .command('show')
    .summary('show a parked command')
    .description('Shows a parked command.')
    .argument('<id>', 'id from "queue list"')
    .addHelpText('after', SHOW)
    .action((id: string) => onBroker({ subject: 'queue', command: 'show', id }));
  queue
    .command('redrive')
    .summary('resend parked commands')
    .description('Resends parked commands.')
    .option('--id <id>', 'only the command with this id')
    .option('--type <type>', 'only commands of this type')
    .option('--limit <number>', 'maximum number to send', positiveIntegerArgument)
    .option('--dry-run', 'only list the commands')
    .addHelpText('after', REDRIVE)
    .action(({ id, type, limit = Infinity, dryRun = false }: RedriveOptions) =>
      onBroker({ subject: 'queue', command: 'redrive', id, type, limit, dryRun }),
    );
  queue
    .command('drop')
    .summary('delete a parked command')
    .description('Deletes a parked command.')
    .argument('<id>', 'id from "queue list"')
    .requiredOption('--reason <text>', 'reason, for the output')
    .addHelpText('after', DROP)
    .action((id: string, { reason }: { reason: string }) =>
      onBroker({ subject: 'queue', command: 'drop', id, reason }),
    );
}
