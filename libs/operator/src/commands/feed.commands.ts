import {
  accountId,
  asked,
  flag,
  json,
  local,
  onStore,
  option,
  optionalArgument,
  text,
  texts,
  time,
  type Kind,
} from './command.js';

const PROJECTOR = `
Shows for each slot of the feed: the last position (head), the last projected position (checkpoint), the number of commits between them
(lag) and the process that owns the slot (host:process id:...). A stream is parked if it cannot be folded. The exit status is 1 if a
stream is parked. Changes nothing.`;

const REBUILD = `
Folds every stream and rewrites its document, for one read model or for all (accounts, sessions, ssh_key_rings, ssh_key_uses,
access_tokens, app_passwords, site_settings, erasures). Deletes documents without a stream. Processes can keep running: documents that are
updated meanwhile are not overwritten, and reads by id stay correct.

Running processes may still cache a wrong state. If documents were wrong, restart the processes, then run "keyfold verify".`;

const RETRY = `
A stream is parked if it cannot be folded, for example because it contains an event that only a newer version knows. The projector
retries it every 30 seconds; this command does so now. The exit status is 1 if a stream stays parked.`;

const RELAY = `
Shows for each slot of the feed: the last position (head), the last published position (checkpoint), the number of commits between them
(lag) and the process that owns the slot. If events wait, a line says why. On MongoDB it can only report that no
worker publishes or that an event has waited for 20 seconds; the readiness of the workers and "keyfold topology diff" then give the reason.

An account is parked if one of its events cannot be sent. Its later events wait, and it is retried after 30 seconds, then ever less often,
at least every five minutes. The exit status is 1 if an account is parked. Changes nothing.

Behind an OpenList server, a second table shows the same of the accounts that are carried to it. An account is parked there if OpenList
refuses it, for example because its name is taken. With --json, the second table is the field "openlist".`;

const REPLAY = `
Sends past public events to one queue; other subscribers do not receive them. Each message has its original id and content, and the
header x-keyfold-replay with the id of the run. A subscriber that drops duplicates therefore drops replayed events that it remembers.
Events of an account keep their order. Live events arrive independently, before, between or after them.

Times are ISO 8601 timestamps, for example 2026-01-15T12:00:00Z. Without a time zone they use that of this machine. The subscriber's
queue must exist. --dry-run counts the events and needs neither a queue nor RabbitMQ.

KEYFOLD_RABBITMQ_URL names RabbitMQ. Its user needs permission to write to the queue through the default exchange. The exit status is 1
if RabbitMQ does not accept an event or an event cannot be sent; events sent before that stay sent.`;

/** The broker and the queue to which events are sent. */
const target: Kind<Readonly<{ url: string; queue: string }>> = {
  is(value): value is { url: string; queue: string } {
    const { url, queue } = (value ?? {}) as Record<string, unknown>;
    return text.is(url) && text.is(queue);
  },
};

const readers = () => import('../feed/readers.js');

/** The commands on the readers of the feed: the projector and the relay. */
export const feedCommands = {
  'projections status': onStore({
    description: 'Shows the progress of the projector and parked streams.',
    help: PROJECTOR,
    fields: { json: json('one JSON object') },
    run: async (args, run) => (await readers()).showProjector(args, run),
  }),
  'projections rebuild': onStore({
    description: 'Rebuilds the documents of the read models.',
    help: REBUILD,
    fields: { model: optionalArgument('[model]', 'read model to rebuild (default: all)') },
    run: async (args, run) => (await import('../feed/rebuild-models.js')).rebuildModels(args, run),
  }),
  'projections retry-parked': onStore({
    description: 'Retries parked streams.',
    help: RETRY,
    fields: {},
    run: async (args, run) => (await import('../feed/rebuild-models.js')).retryParked(args, run),
  }),
  'feed status': onStore({
    description: 'Shows the progress of publishing and parked accounts.',
    help: RELAY,
    fields: { json: json('one JSON object') },
    run: async (args, run) => (await readers()).showRelays(args, run),
  }),
  'feed replay': onStore({
    description: 'Sends past events to one queue.',
    help: REPLAY,
    fields: {
      from: option('--from <time>', 'only events at or after this time', time),
      to: option('--to <time>', 'only events before this time', time),
      types: option('--type <type...>', 'only events of these types, for example ssh-key.added', texts),
      account: option('--account <id>', 'only events of this account', accountId),
      queue: local(option('--queue <queue>', 'queue to send to', text)),
      dryRun: local(flag('--dry-run', 'only count the events')),
      target: asked(target, 'optional'),
    },
    problem({ from, to, queue, dryRun }) {
      if (from !== undefined && to !== undefined && from >= to) return "'--from' must be before '--to'";
      return queue === undefined && !dryRun ? "option '--queue <queue>' or '--dry-run' is required" : undefined;
    },
    run: async (args, run) => (await import('../rabbitmq/replay-feed.js')).replayFeed(args, run),
  }),
};
