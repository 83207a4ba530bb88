import { InvalidArgumentError, type Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const STATUS = `
For each slot of the feed: its last position (head), how far its events were published (checkpoint), how many commits are left (lag) and
which process works on it. When nothing is published, a line says why. On mongodb it can only say that no worker publishes. A parked
account has an event that cannot be sent; its later events wait behind it, and it is tried again every 30 seconds. The exit status is 1
when there is one. Changes nothing.`;

const REPLAY = `
Sends public events that happened once more, straight to one queue: no other subscriber sees them. Each message has the header
x-keyfold-replay with the id of the run, and else the id and everything that it had the first time, so a subscriber that drops what it
has seen drops these too unless it has forgotten. Of an account the events come in their order; what happens meanwhile comes to the
queue as ever, before, between or after them.

Times are ISO 8601, for example 2026-01-15T12:00:00Z; without a zone they are of this machine. The queue is the subscriber's and must
be there. With --dry-run the events are counted and nothing is sent, and neither a queue nor RabbitMQ is needed.

KEYFOLD_RABBITMQ_URL names RabbitMQ, with a user who may write to the queue through the default exchange. The exit status is 1 when
RabbitMQ does not take an event (what was sent before stays sent) or some cannot be sent.`;

type Options = Readonly<{
  from?: number;
  to?: number;
  type?: readonly string[];
  account?: number;
  queue?: string;
  dryRun?: boolean;
}>;

/** `feed`. */
export function addFeedCommands(program: Command, { onStore, replay }: Actions): void {
  storeCommandGroup(program, 'feed')
    .summary('look after the events that are sent to others')
    .description('Looks after the events that are sent to others.');
  storeCommand(program, 'feed status')
    .summary('show how far events were sent and whose wait')
    .description('Shows how far events were sent and whose wait.')
    .option('--json', 'one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => onStore('feed status', { json }));
  storeCommand(program, 'feed replay')
    .summary('send past events to one queue')
    .description('Sends past events to one queue.')
    .option('--from <time>', 'what happened at this time or later', time)
    .option('--to <time>', 'what happened before this time', time)
    .option('--type <type...>', 'of these types only, for example ssh-key.added')
    .option('--account <id>', 'of this account only', accountId)
    .option('--queue <queue>', 'where to')
    .option('--dry-run', 'only count')
    .addHelpText('after', REPLAY)
    .action(async ({ from, to, type: types, account, queue, dryRun = false }: Options, command: Command) => {
      if (from !== undefined && to !== undefined && from >= to) command.error("error: '--from' must be before '--to'");
      if (queue === undefined && !dryRun) command.error("error: option '--queue <queue>' is needed, or '--dry-run'");
      await replay({ from, to, types, account }, dryRun ? undefined : queue);
    });
}

function time(text: string): number {
  const at = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at)) throw new InvalidArgumentError('It is a time of ISO 8601.');
  return at;
}

function accountId(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('It is the number of an account.');
  return id;
}
