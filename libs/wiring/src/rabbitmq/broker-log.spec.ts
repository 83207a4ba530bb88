import { beforeEach, expect, it } from 'vitest';
import { BrokerLog } from './broker-log.js';

let lines: string[];
let told: BrokerLog;
const write = (text: string) => void lines.push(text);

beforeEach(() => {
  lines = [];
  told = new BrokerLog('broker:5672', { log: write, warn: write }, ['publisher', 'consumer']);
});

function allConnected(): void {
  told.tell('publisher', 'connected');
  told.tell('consumer', 'connected');
}

it('one line tells that all connections are there', () => {
  told.tell('publisher', 'connected');
  expect(lines).toEqual([]);
  told.tell('consumer', 'connected');
  expect(lines).toEqual(['connected to RabbitMQ at broker:5672']);
});

it('one line tells that it is away, with the first reason', () => {
  allConnected();
  told.tell('consumer', 'disconnected', 'Socket closed');
  told.tell('publisher', 'disconnected', 'Socket closed');
  told.tell('publisher', 'disconnected', 'ECONNREFUSED');
  allConnected();
  expect(lines.slice(1)).toEqual([
    'RabbitMQ at broker:5672 is away, events wait in the store: Socket closed',
    'connected to RabbitMQ at broker:5672',
  ]);
});

it('it is told also when it was never there', () => {
  told.tell('publisher', 'disconnected', 'ECONNREFUSED');
  told.tell('consumer', 'disconnected', 'ECONNREFUSED');
  expect(lines).toEqual(['RabbitMQ at broker:5672 is away, events wait in the store: ECONNREFUSED']);
});

it('one line tells that it takes no messages, and one that it does again', () => {
  allConnected();
  told.tell('publisher', 'blocked', 'low on memory');
  told.tell('publisher', 'connected');
  expect(lines.slice(1)).toEqual([
    'RabbitMQ at broker:5672 takes no messages for now: low on memory',
    'connected to RabbitMQ at broker:5672',
  ]);
});
