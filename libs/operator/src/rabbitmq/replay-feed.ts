import { reasonOf } from '@keyfold/event-store';
import {
  BrokerUnavailable,
  MessageRefused,
  Replay,
  type EventPublisher,
  type ReplaySelection,
  type ReplayTarget,
} from '@keyfold/messaging';
import { messagesOf, publicEventTypes } from '@keyfold/messaging/events';
import {
  EVENTS_EXCHANGE,
  RabbitMqPublisher,
  attemptOnScratchChannel,
  type BrokerConnection,
} from '@keyfold/messaging/rabbitmq';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withOperatorConnection } from './operator-connection.js';
import { DONE, FAILED, WRONG_USAGE, type ExitCode, serviceAppId } from '@keyfold/process';
import { counted } from '../output/counted.js';
import type { CommandRun } from '../commands/operator-ports.js';
import { tableOf } from '../output/table.js';

/** Milliseconds until the broker takes messages. */
const PATIENCE = 15_000;
/** How often it is looked for the queue when the broker took an event no more, and milliseconds between two looks. */
const LOOKS = 10;
const LOOK_INTERVAL = 250;

/** Times are Unix milliseconds; `from` is included, `to` is not. Without `target` the command only counts what it would send. */
type ReplayArgs = Readonly<{
  from?: number | undefined;
  to?: number | undefined;
  types?: readonly string[] | undefined;
  account?: number | undefined;
  target?: Readonly<{ url: string; queue: string }> | undefined;
}>;

/** Sends public events once more, to one queue. A failure when some could not be sent; what was sent before stays sent. */
export async function replayFeed(args: ReplayArgs, run: CommandRun): Promise<ExitCode> {
  const { output } = run;
  const unknown = (args.types ?? []).filter((type) => !(publicEventTypes as readonly string[]).includes(type));
  if (unknown.length > 0) {
    await output.err(`there is no event ${unknown.join(', ')}; there are ${publicEventTypes.join(', ')}`);
    return WRONG_USAGE;
  }
  const { target } = args;
  if (target?.queue.startsWith('keyfold.')) {
    await output.err(`${target.queue} is a queue of Keyfold itself: a replay is for the queue of a subscriber`);
    return WRONG_USAGE;
  }
  if (!target) return replayTo(undefined, args, run);
  return withOperatorConnection(target.url, output, async (connection) => {
    if (!(await hasQueue(connection, target.queue))) {
      await output.err(`RabbitMQ has no queue ${target.queue}: whoever wants the events declares it`);
      return FAILED;
    }
    const publisher = new RabbitMqPublisher(connection, { exchange: EVENTS_EXCHANGE, appId: serviceAppId });
    try {
      await untilReady(publisher);
      return await replayTo({ publisher, queue: target.queue, run: randomUUID() }, args, run);
    } catch (error) {
      if (!(await isGone(connection, target.queue))) throw error;
      throw new MessageRefused(`RabbitMQ has no queue ${target.queue} any more`, { cause: error });
    } finally {
      await publisher.close();
    }
  });
}

async function hasQueue(connection: BrokerConnection, queue: string): Promise<boolean> {
  const refusal = await attemptOnScratchChannel(connection, (channel) => channel.checkQueue(queue));
  return refusal === undefined;
}

/** Who deletes a quorum queue may end the channel or connection of those who send to it (measured on RabbitMQ 3.10.8). */
async function isGone(connection: BrokerConnection, queue: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    try {
      return !(await hasQueue(connection, queue));
    } catch {
      await sleep(LOOK_INTERVAL);
    }
  }
  return false;
}

async function untilReady(publisher: EventPublisher): Promise<void> {
  if (publisher.isReady) return;
  const ready = Promise.withResolvers<void>();
  const end = publisher.onReady(() => ready.resolve());
  const late = setTimeout(() => ready.reject(new BrokerUnavailable('RabbitMQ takes no messages now')), PATIENCE);
  await ready.promise.finally(end);
  clearTimeout(late);
}

async function replayTo(
  target: ReplayTarget | undefined,
  args: ReplayArgs,
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  const replay = new Replay(
    {
      feed: ports.feed,
      messagesOf,
      onUnsendable: ({ stream, version }, error) =>
        output.err(`passed over ${stream} at version ${version}: ${reasonOf(error)}`),
    },
    selectionOf(args),
    target,
  );
  try {
    await replay.run(signal);
  } finally {
    const total = [...replay.counts.values()].reduce((sum, count) => sum + count, 0);
    const done = target ? `sent to ${target.queue} as replay ${target.run}` : 'would be sent';
    for (const line of tableOf(['event', done], [...replay.counts], ['all', total])) await output.out(line);
    if (replay.compacted > 0)
      await output.err(
        `passed over ${counted(replay.compacted, 'commit')} of old sessions: compaction removed the events`,
      );
  }
  return replay.unsendable === 0 ? DONE : FAILED;
}

function selectionOf({ from, to, types, account }: ReplayArgs): ReplaySelection {
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(types !== undefined && { types }),
    ...(account !== undefined && { partition: String(account) }),
  };
}
