import { argument, flag, json, onBroker, option, optionOr, positiveInteger, requiredOption, text } from './command.js';

const BROKER_SETTINGS = `
KEYFOLD_RABBITMQ_URL names RabbitMQ, a user with the necessary permissions, and the virtual host:
amqp://<user>:<password>@<host>:5672/<virtual host>. KEYFOLD_RABBITMQ_MANAGEMENT_URL names its management API, for example
http://<host>:15672; without a user it uses the same one. Each setting can also come from the file that <setting>_FILE names. These
commands open no store.`;

const MANAGEMENT_API = `
Bindings and policies are compared through the management API. Without it, the commands that set the policies are shown instead.`;

const APPLY = `
Creates missing exchanges, queues, bindings and policies. Sets the age limit of keyfold.events.log to KEYFOLD_EVENT_LOG_DAYS (default 90),
unless more of its policy was changed. Other existing parts are never changed or deleted: differences are shown with advice, and the exit
status is 1. Safe to repeat.

A standalone process does this itself. A worker only checks the topology and logs what is missing.
${BROKER_SETTINGS}${MANAGEMENT_API}`;

const DIFF = `
Shows for each exchange, queue, binding and policy: same, missing, different (with the difference and advice), or unknown if it cannot be
compared. The exit status is 1 if something is missing or different, or if the management API rejects the user. Changes nothing.
${BROKER_SETTINGS}${MANAGEMENT_API}`;

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

const id = argument('<id>', 'id from "queue list"');

const topology = () => import('../rabbitmq/topology-commands.js');
const queue = () => import('../rabbitmq/queue-commands.js');

/** The commands on RabbitMQ, which need no store. */
export const brokerCommands = {
  'topology apply': onBroker({
    description: 'Creates missing parts of the topology.',
    help: APPLY,
    fields: {},
    run: async (_, run) => (await topology()).applyToBroker(run),
  }),
  'topology diff': onBroker({
    description: 'Shows missing and different parts of the topology.',
    help: DIFF,
    fields: {},
    run: async (_, run) => (await topology()).diffWithBroker(run),
  }),
  'queue list': onBroker({
    description: 'Lists parked commands.',
    help: LIST,
    fields: {
      type: option('--type <type>', 'only commands of this type, for example ssh-key.use', text),
      json: json('one JSON array'),
    },
    run: async (args, run) => (await queue()).listParked(args, run),
  }),
  'queue show': onBroker({
    description: 'Shows a parked command.',
    help: SHOW,
    fields: { id },
    run: async (args, run) => (await queue()).showParked(args, run),
  }),
  'queue redrive': onBroker({
    description: 'Resends parked commands.',
    help: REDRIVE,
    fields: {
      id: option('--id <id>', 'only the command with this id', text),
      type: option('--type <type>', 'only commands of this type', text),
      limit: optionOr(Infinity, '--limit <number>', 'maximum number to send', positiveInteger),
      dryRun: flag('--dry-run', 'only list the commands'),
    },
    run: async (args, run) => (await queue()).redriveParked(args, run),
  }),
  'queue drop': onBroker({
    description: 'Deletes a parked command.',
    help: DROP,
    fields: { id, reason: requiredOption('--reason <text>', 'reason, for the output') },
    run: async (args, run) => (await queue()).dropParked(args, run),
  }),
};
