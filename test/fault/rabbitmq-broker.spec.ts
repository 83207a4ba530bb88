import { connect } from 'amqplib';
import { createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { lastingPort } from '../support/lasting-port.js';
import { freshBroker, type FreshBroker } from '../support/rabbitmq/fresh-broker.js';
import { findRabbitmq } from '../support/rabbitmq/rabbitmq-service.js';

let ofFile: FreshBroker;
let ofTest: FreshBroker;
const ended: string[] = [];

beforeAll(async () => {
  ofFile = await freshBroker();
});

beforeEach(async () => {
  ofTest = await freshBroker();
  ended.push(ofTest.vhost);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a virtual host starts empty and accepts messages', async () => {
  expect(await ofTest.api('GET', `/queues/${ofTest.vhostPath}`)).toEqual([]);
  const connection = await connect(ofTest.url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue('notes', { durable: true });
  channel.sendToQueue('notes', Buffer.from('note'));
  await channel.waitForConfirms();
  expect(await channel.checkQueue('notes')).toMatchObject({ messageCount: 1 });
  await connection.close();
});

test.each(['first', 'second'])('a virtual host of a test is deleted after it, one of the file stays (%s)', async () => {
  const known = (await ofFile.api<{ name: string }[]>('GET', '/vhosts'))?.map(({ name }) => name) ?? [];
  expect(known).toContain(ofFile.vhost);
  expect(ended.filter((name) => known.includes(name))).toEqual([ofTest.vhost]);
});

test('a configured broker that is down is reported in one line without its password', async () => {
  const port = await lastingPort();
  const refusal = await findRabbitmq(`amqp://user:hidden@127.0.0.1:${port}`).catch((error: Error) => error.message);
  expect(refusal).toMatch(/^RabbitMQ: RABBITMQ_URL cannot be used: .*ECONNREFUSED[^\n]*$/);
  expect(refusal).not.toContain('hidden');
});

test('a broker without a management API is reported with what it lacks', async () => {
  const broker = createServer((socket) => socket.destroy());
  const port = await lastingPort();
  await new Promise<void>((listening) => broker.listen(port, '127.0.0.1', listening));
  vi.stubEnv('RABBITMQ_MANAGEMENT_URL', `http://user:hidden@127.0.0.1:${port}`);
  const refusal = await findRabbitmq(`amqp://user:hidden@127.0.0.1:${port}`).catch((error: Error) => error.message);
  expect(refusal).toMatch(/^RabbitMQ: RABBITMQ_URL cannot be used: [^\n]*enable the plugin rabbitmq_management[^\n]*$/);
  expect(refusal).not.toContain('hidden');
  broker.close();
});
