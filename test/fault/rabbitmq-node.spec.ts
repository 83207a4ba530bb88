import { connect } from 'amqplib';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { Watchdog } from '../support/rabbitmq/watchdog.js';

let node: RabbitmqNode;

beforeAll(async () => {
  node = await RabbitmqNode.start();
});
afterAll(async () => {
  await node?.dispose();
});

async function send(text: string): Promise<void> {
  const connection = await connect(node.url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue('notes', { durable: true });
  channel.sendToQueue('notes', Buffer.from(text), { persistent: true });
  await channel.waitForConfirms();
  await connection.close();
  // Confirms cover messages. The definition of a new queue may still wait in memory.
  await node.ctl('eval', 'mnesia:sync_log().');
}

async function noteCount(): Promise<number> {
  const connection = await connect(node.url);
  const { messageCount } = await (await connection.createChannel()).checkQueue('notes');
  await connection.close();
  return messageCount;
}

test('a node that was killed has its messages when it is started again', async () => {
  await send('before');
  await node.kill();
  expect(node.isRunning).toBe(false);
  await expect(connect(node.url)).rejects.toThrow('ECONNREFUSED');
  await node.restart();
  expect(await noteCount()).toBe(1);
});

test('a node that was stopped starts again on its port', async () => {
  await node.stop();
  await expect(connect(node.url)).rejects.toThrow('ECONNREFUSED');
  await node.restart();
  expect(await noteCount()).toBe(1);
});

test('a node takes administration commands', async () => {
  await node.ctl('stop_app');
  await expect(connect(node.url)).rejects.toThrow();
  await node.ctl('start_app');
  expect(await noteCount()).toBe(1);
});

test('a memory alarm blocks publishers until it ends', async () => {
  const connection = await connect(node.url);
  const channel = await connection.createConfirmChannel();
  const blocked = new Promise<string>((told) => connection.once('blocked', told));
  const unblocked = new Promise<void>((told) => connection.once('unblocked', () => told()));
  await node.memoryAlarm(true);
  channel.sendToQueue('notes', Buffer.from('late'));
  expect(await blocked).toContain('memory');
  await node.memoryAlarm(false);
  await unblocked;
  await channel.waitForConfirms();
  await connection.close();
});

test('a watchdog ends what it guards when its owner is gone', async () => {
  const guarded = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const ended = new Promise<NodeJS.Signals | null>((end) => guarded.once('exit', (_, signal) => end(signal)));
  const watchdog = new Watchdog('/nonexistent/folder');
  watchdog.guard(guarded.pid ?? 0);
  watchdog.abandon();
  expect(await ended).toBe('SIGKILL');
});
