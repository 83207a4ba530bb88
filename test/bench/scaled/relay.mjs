// Runs the relay of a worker, or the bare loop of the comparison, in a separate process.
import { setTimeout as pause } from 'node:timers/promises';
import { answerWith } from '../child.mjs';
import { timed } from '../process-figures.mjs';
import { brokerConnected } from './broker.mjs';
import { eventStore, messaging, MongoParkedAccounts, rabbitmq } from './built.mjs';
import { connected } from './database.mjs';

/** Messages in flight, for both. */
const WINDOW = 500;
const PAGE = 1_000;
const { messagesOf } = messaging;
let ended = Promise.withResolvers();
let following = Promise.resolve();

const works = { relay, bare, follow };

/**
 * `relay` publishes the whole feed, `bare` publishes the same messages prepared beforehand, and `follow` continues
 * until `end`.
 */
answerWith(async ({ uri, url, work, messages }) => {
  if (work === 'end') {
    ended.resolve();
    return following;
  }
  following = connected(uri, (connection) =>
    brokerConnected(url, 'publisher', (broker) => works[work](connection, broker, messages)),
  );
  return following;
});

async function relay(connection, broker, messages) {
  await eventStore.collectionOf(connection, 'feed_leases').deleteMany({});
  const { relay, outlet, stop } = open(connection, broker);
  const figures = await rateOf(messages, async () => {
    relay.start();
    while (outlet.published < messages) await pause(2);
  });
  await stop();
  return figures;
}

async function follow(connection, broker) {
  ended = Promise.withResolvers();
  const { relay, outlet, stop } = open(connection, broker);
  relay.start();
  await ended.promise;
  await stop();
  return outlet.published;
}

function open(connection, broker) {
  const store = new eventStore.MongoEventStore(connection);
  const publisher = new rabbitmq.RabbitMqPublisher(broker, {
    exchange: rabbitmq.EVENTS_EXCHANGE,
    appId: 'keyfold/bench',
    window: WINDOW,
  });
  const [leases, parked] = [
    new eventStore.MongoFeedLeases(connection),
    new MongoParkedAccounts(connection, 'parked_relays'),
  ];
  const report = (problem) => console.error(problem);
  const outlet = new messaging.MessageOutlet(publisher, messagesOf);
  const options = { onError: report, onParked: report };
  const relay = new messaging.Relay(store, outlet, leases, parked, options);
  const stop = async () => {
    await relay.stop();
    await publisher.close();
    await store.close();
  };
  return { relay, outlet, stop };
}

async function bare(connection, broker, expected) {
  const messages = await readMessages(connection);
  if (messages.length !== expected) throw new Error(`${messages.length} messages instead of ${expected}`);
  const channel = await broker.confirmChannel();
  return rateOf(messages.length, async () => {
    for (let from = 0; from < messages.length; from += WINDOW) {
      await Promise.all(messages.slice(from, from + WINDOW).map((message) => confirmed(channel, message)));
    }
  });
}

const confirmed = (channel, { id, type, headers, body }) =>
  new Promise((resolve, reject) => {
    const options = { persistent: true, mandatory: true, contentType: 'application/json' };
    const properties = { ...options, messageId: id, type, headers };
    const answered = (error) => (error ? reject(error) : resolve());
    channel.publish(rabbitmq.EVENTS_EXCHANGE, type, body, properties, answered);
  });

async function readMessages(connection) {
  const store = new eventStore.MongoEventStore(connection);
  const messages = [];
  for (let slot = 0; slot < store.slots; slot += 1) {
    for (let position = 0; ;) {
      const page = await store.readFeed(slot, position, PAGE);
      messages.push(...page.flatMap(messagesOf));
      if (page.length < PAGE) break;
      position = page.at(-1).position;
    }
  }
  await store.close();
  return messages;
}

async function rateOf(messages, work) {
  const { cpuSeconds, seconds } = await timed(work);
  return { perSecond: messages / seconds, cpu: (cpuSeconds * 1e6) / messages };
}
