import { connect, type Channel } from 'amqplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyfoldHere } from '../support/cli-in-process.js';
import { blockOf } from '../support/guides.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { until } from '../support/rabbitmq/other-service.js';

const PASSWORD = 'a-password';

/** Returns the arguments of each `rabbitmqctl` command, with a password for a new user. */
const ctlLines = (block: string) =>
  [...block.matchAll(/\brabbitmqctl (.*?)(?: &&|$)/gm)].map(([, line = '']) => {
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    return args[0] === 'add_user' ? [...args, PASSWORD] : args;
  });

let node: RabbitmqNode;
const urlOf = (user: string) => `amqp://${user}:${PASSWORD}@127.0.0.1:${node.port}/keyfold`;

beforeAll(async () => {
  node = await RabbitmqNode.start();
  for (const args of ctlLines(blockOf('run/rabbitmq.md', 'Set up RabbitMQ', 'sh'))) await node.ctl(...args);
});
afterAll(async () => {
  await node?.dispose();
});

it('the commands for a RabbitMQ of your own suffice for keyfold topology apply', async () => {
  const env = {
    KEYFOLD_RABBITMQ_URL: urlOf('keyfold'),
    KEYFOLD_RABBITMQ_MANAGEMENT_URL: node.managementUrl.replace('guest:guest@', ''),
  };
  expect(await keyfoldHere(env, 'topology', 'apply')).toMatchObject({
    status: 0,
    out: expect.stringContaining('15 objects: 15 created'),
    err: '',
  });
});

it('a subscriber with the permissions of the guide gets a queue that keeps what it rejects', async () => {
  await keyfoldHere({ KEYFOLD_RABBITMQ_URL: urlOf('keyfold') }, 'topology', 'apply');
  for (const args of ctlLines(blockOf('connect/events.md', 'Permissions', 'sh'))) await node.ctl(...args);
  const subscriber = await connect(urlOf('sftp'));
  const keyfold = await connect(urlOf('keyfold'));
  try {
    const channel = await subscriber.createChannel();
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const declare = new AsyncFunction('channel', blockOf('connect/events.md', 'Rejected messages', 'js'));
    await (declare as (channel: Channel) => Promise<void>)(channel);
    const deadLetters = { 'x-queue-type': 'quorum', 'x-dead-letter-exchange': 'sftp.rejected' };
    await channel.assertQueue('sftp.keyfold-events', { durable: true, arguments: deadLetters });
    await channel.bindQueue('sftp.keyfold-events', 'keyfold.events', 'ssh-key.#');
    await channel.consume('sftp.keyfold-events', (message) => message && channel.reject(message, false));
    const publisher = await keyfold.createConfirmChannel();
    publisher.publish('keyfold.events', 'ssh-key.added', Buffer.from('{"unreadable":1}'));
    await publisher.waitForConfirms();
    const kept = await until(async () => (await channel.get('sftp.rejected', { noAck: true })) || undefined);
    expect(kept.content.toString()).toBe('{"unreadable":1}');
  } finally {
    await Promise.all([subscriber.close(), keyfold.close()]);
  }
});

it('the commands to uninstall leave neither the virtual host nor the user of Keyfold', async () => {
  for (const args of ctlLines(blockOf('run/uninstall.md', 'Several processes', 'sh'))) await node.ctl(...args);
  expect(await node.ctl('list_vhosts')).not.toContain('keyfold');
  expect(await node.ctl('list_users')).not.toContain('keyfold');
});
