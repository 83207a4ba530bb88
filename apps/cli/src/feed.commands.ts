import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { accountIdArgument, timeArgument } from './arguments.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const STATUS = `
Shows for each slot of the feed: the last position (head), the last published position (checkpoint), the number of commits between them
(lag) and the process that owns the slot. If nothing is published, a line says why. On mongodb it can only report that no worker publishes.

An account is parked if one of its events cannot be sent. Its later events wait, and it is retried every 30 seconds. The exit status is 1
if an account is parked. Changes nothing.`;

const REPLAY = `
Sends past public events to one queue; other subscribers do not receive them. Each message has its original id and content, and the
header x-keyfold-replay with the id of the run. A subscriber that drops duplicates therefore drops replayed events that it remembers.
Events of an account keep their order. Live events arrive independently, before, between or after them.

Times are ISO 8601 timestamps, for example 2026-01-15T12:00:00Z. Without a time zone they use that of this machine. The subscriber's
queue must exist. --dry-run counts the events and needs neither a queue nor RabbitMQ.

KEYFOLD_RABBITMQ_URL names RabbitMQ. Its user needs permission to write to the queue through the default exchange. The exit status is 1
if RabbitMQ does not accept an event or an event cannot be sent; events sent before that stay sent.`;

type Options = Readonly<{
  from?: number;
  to?: number;
  type?: readonly string[];
  account?: number;
  queue?: string;
  dryRun?: boolean;
}>;

/** Adds `feed`. */
export function addFeedCommands(program: Command, { onStore, replay }: Actions): void {
  storeCommandGroup(program, 'feed')
    .summary('show and replay published events')
    .description('Shows and replays published events.');
  storeCommand(program, 'feed status')
    .summary('show the progress of publishing and parked accounts')
    .description('Shows the progress of publishing and parked accounts.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => onStore('feed status', { json }));
  storeCommand(program, 'feed replay')
    .summary('send past events to one queue')
    .description('Sends past events to one queue.')
    .option('--from <time>', 'only events at or after this time', timeArgument)
    .option('--to <time>', 'only events before this time', timeArgument)
    .option('--type <type...>', 'only events of these types, for example ssh-key.added')
    .option('--account <id>', 'only events of this account', accountIdArgument)
    .option('--queue <queue>', 'queue to send to')
    .option('--dry-run', 'only count the events')
    .addHelpText('after', REPLAY)
    .action(async ({ from, to, type: types, account, queue, dryRun = false }: Options, command: Command) => {
      if (from !== undefined && to !== undefined && from >= to) command.error("error: '--from' must be before '--to'");
      if (queue === undefined && !dryRun) command.error("error: option '--queue <queue>' or '--dry-run' is required");
      await replay({ from, to, types, account }, dryRun ? undefined : queue);
    });
}
