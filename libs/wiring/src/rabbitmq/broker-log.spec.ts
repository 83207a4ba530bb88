import { beforeEach, expect, it } from 'vitest';
import { BrokerLog } from './broker.module.js';

let lines: string[];
let log: BrokerLog;
const write = (text: string) => void lines.push(text);

beforeEach(() => {
  lines = [];
  log = new BrokerLog('broker:5672', { log: write, warn: write }, ['publisher', 'consumer']);
});

function allConnected(): void {
  log.report('publisher', 'connected');
  log.report('consumer', 'connected');
}

it('all connections together are logged as one line', () => {
  log.report('publisher', 'connected');
  expect(lines).toEqual([]);
  log.report('consumer', 'connected');
  expect(lines).toEqual(['connected to RabbitMQ at broker:5672']);
});

it('an outage is logged as one line, with the first reason', () => {
  allConnected();
  log.report('consumer', 'disconnected', 'Socket closed');
  log.report('publisher', 'disconnected', 'Socket closed');
  log.report('publisher', 'disconnected', 'ECONNREFUSED');
  allConnected();
  expect(lines.slice(1)).toEqual([
    'RabbitMQ at broker:5672 is unavailable, events stay in the store: Socket closed',
    'connected to RabbitMQ at broker:5672',
  ]);
});

it('an outage from the start is logged', () => {
  log.report('publisher', 'disconnected', 'ECONNREFUSED');
  log.report('consumer', 'disconnected', 'ECONNREFUSED');
  expect(lines).toEqual(['RabbitMQ at broker:5672 is unavailable, events stay in the store: ECONNREFUSED']);
});

it('a blocked broker is logged, and so is the recovery', () => {
  allConnected();
  log.report('publisher', 'blocked', 'low on memory');
  log.report('publisher', 'connected');
  expect(lines.slice(1)).toEqual([
    'RabbitMQ at broker:5672 blocks publishers: low on memory',
    'connected to RabbitMQ at broker:5672',
  ]);
});
