import { InvalidArgumentError, type Command } from 'commander';
import type { Actions } from './actions.js';
import { BROKER_SETTINGS } from './broker-settings.help.js';

const QUEUE = `
A command that another service sent over RabbitMQ is parked when no attempt can carry it out: it is malformed, of an unknown type, or
refused. It stays in the queue keyfold.commands.parked until an operator decides. A message without an id is named by the hash of its
body (#...).
${BROKER_SETTINGS}`;

const LIST = `
One line for each: id, type, why it was parked, after how many attempts, since when, and its size. Changes nothing.
${QUEUE}`;

const SHOW = `
Everything that is known of it as JSON, headers and body included. The exit status is 1 when no such command is parked. Changes nothing.
${QUEUE}`;

const REDRIVE = `
Sends parked commands to keyfold.commands.q again, as if for the first time. Each leaves the parked ones only when RabbitMQ has its
copy. All of them without an option. The exit status is 1 when there was none.
${QUEUE}`;

const DROP = `
Throws the parked commands with this id away for good, and writes a line for each with the reason.
${QUEUE}`;

type ListOptions = Readonly<{ type?: string; json?: boolean }>;
type RedriveOptions = Readonly<{ id?: string; type?: string; limit?: number; dryRun?: boolean }>;

/** `queue`. */
export function addQueueCommands(program: Command, { onBroker }: Actions): void {
  const queue = program
    .command('queue')
    .summary('look after commands of other services that were parked')
    .description('Looks after commands of other services that were parked.');
  queue
    .command('list')
    .summary('list parked commands')
    .description('Lists parked commands.')
    .option('--type <type>', 'of this type only, for example ssh-key.use')
    .option('--json', 'one JSON array')
    .addHelpText('after', LIST)
    .action(({ type, json = false }: ListOptions) => onBroker({ subject: 'queue', command: 'list', type, json }));
  queue
    .command('show')
    .summary('show a parked command')
    .description('Shows a parked command.')
    .argument('<id>', 'as "queue list" shows it')
    .addHelpText('after', SHOW)
    .action((id: string) => onBroker({ subject: 'queue', command: 'show', id }));
  queue
    .command('redrive')
    .summary('send parked commands again')
    .description('Sends parked commands again.')
    .option('--id <id>', 'with this id only')
    .option('--type <type>', 'of this type only')
    .option('--limit <number>', 'so many at most', atLeastOne)
    .option('--dry-run', 'only say which')
    .addHelpText('after', REDRIVE)
    .action(({ id, type, limit = Infinity, dryRun = false }: RedriveOptions) =>
      onBroker({ subject: 'queue', command: 'redrive', id, type, limit, dryRun }),
    );
  queue
    .command('drop')
    .summary('throw a parked command away')
    .description('Throws a parked command away.')
    .argument('<id>', 'as "queue list" shows it')
    .requiredOption('--reason <text>', 'why, for whoever reads the output later')
    .addHelpText('after', DROP)
    .action((id: string, { reason }: { reason: string }) =>
      onBroker({ subject: 'queue', command: 'drop', id, reason }),
    );
}

function atLeastOne(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('It is a number from 1 on.');
  return count;
}
