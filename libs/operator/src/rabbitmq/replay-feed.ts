import { reasonOf } from '@keyfold/reporting';
import {
  BrokerUnavailable,
  MessageRefused,
  Replay,
  type EventPublisher,
  type ReplaySelection,
  type ReplayTarget,
} from '@keyfold/messaging';
import { messagesOf, publicEventTypes } from '@keyfold/messaging/events';
import { EVENTS_EXCHANGE, RabbitMqPublisher, isQueueMissing, type BrokerConnection } from '@keyfold/messaging/rabbitmq';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withOperatorConnection } from './with-operator-connection.js';
import { DONE, FAILED, WRONG_USAGE, type ExitCode, serviceAppId } from '@keyfold/process';
import { counted } from '../output/printable.js';
import type { CommandRun } from '../command-run.js';
import { tableOf } from '../output/table.js';

/** How long the broker may take to accept messages (milliseconds). */
const READY_TIMEOUT = 15_000;
/** After a failed publish: how often to check for the queue, and the milliseconds between two checks. */
const QUEUE_CHECKS = 10;
const CHECK_INTERVAL = 250;

/** Times are Unix milliseconds; `from` is inclusive, `to` exclusive. Without `target` the command only counts the events. */
type ReplayArgs = ReplaySelection & Readonly<{ target?: Readonly<{ url: string; queue: string }> | undefined }>;

/** Sends past public events to one queue. Fails if some cannot be sent; events sent before that stay sent. */
export async function replayFeed(args: ReplayArgs, run: CommandRun): Promise<ExitCode> {
  const { output } = run;
  const unknown = (args.types ?? []).filter((type) => !(publicEventTypes as readonly string[]).includes(type));
  if (unknown.length > 0) {
    await output.err(`unknown event type ${unknown.join(', ')}. Known types: ${publicEventTypes.join(', ')}`);
    return WRONG_USAGE;
  }
  const { target } = args;
  if (target?.queue.startsWith('keyfold.')) {
    await output.err(`cannot replay to ${target.queue}, a queue of Keyfold itself. Name the queue of a subscriber`);
    return WRONG_USAGE;
  }
  if (!target) return replayTo(undefined, args, run);
  return withOperatorConnection(target.url, output, async (connection) => {
    // A worker's user may not check the queues of subscribers on RabbitMQ 4.2.6 and later. The broker then returns the first message.
    if (await isQueueMissing(connection, target.queue)) {
      await output.err(`RabbitMQ has no queue ${target.queue}. The subscriber must declare it first`);
      return FAILED;
    }
    const publisher = new RabbitMqPublisher(connection, { exchange: EVENTS_EXCHANGE, appId: serviceAppId });
    try {
      await untilReady(publisher);
      return await replayTo({ publisher, queue: target.queue, run: randomUUID() }, args, run);
    } catch (error) {
      if (!(await isDeleted(connection, target.queue))) throw error;
      throw new MessageRefused(`queue ${target.queue} was deleted during the replay`, { cause: error });
    } finally {
      await publisher.close();
    }
  });
}

/** Deleting a quorum queue can close the channels and connections of its publishers (observed on RabbitMQ 3.10.8). */
async function isDeleted(connection: BrokerConnection, queue: string): Promise<boolean> {
  for (let check = 0; check < QUEUE_CHECKS; check++) {
    try {
      return await isQueueMissing(connection, queue);
    } catch {
      await sleep(CHECK_INTERVAL);
    }
  }
  return false;
}

async function untilReady(publisher: EventPublisher): Promise<void> {
  if (publisher.isReady) return;
  const ready = Promise.withResolvers<void>();
  const end = publisher.onReady(() => ready.resolve());
  const late = setTimeout(() => ready.reject(new BrokerUnavailable('RabbitMQ accepts no messages now')), READY_TIMEOUT);
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
        output.err(`skipped ${stream} at version ${version}: ${reasonOf(error)}`),
    },
    args,
    target,
  );
  try {
    await replay.run(signal);
  } finally {
    const total = [...replay.counts.values()].reduce((sum, count) => sum + count, 0);
    const done = target ? 'sent' : 'would be sent';
    for (const line of tableOf(['event', done], [...replay.counts], ['all', total])) await output.out(line);
    if (target) await output.out(`The queue is ${target.queue} and the replay ${target.run}`);
    if (replay.compacted > 0)
      await output.err(
        `skipped ${counted(replay.compacted, 'commit')} of old sessions, whose events were removed by compaction`,
      );
  }
  return replay.unsendable === 0 ? DONE : FAILED;
}
