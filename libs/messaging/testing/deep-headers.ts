import type { ChannelModel } from 'amqplib';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';

type Definitions = Readonly<{
  BasicPublish: number;
  encodeMethod(id: number, channel: number, fields: object): Buffer;
}>;
type WithStream = Readonly<{ connection: { stream: Writable } }>;

const require = createRequire(import.meta.url);
const definitions = require(join(dirname(require.resolve('amqplib')), 'lib/defs.js')) as Definitions;

const CHANNEL = 1;
const [HEADER_FRAME, BODY_FRAME] = [2, 3];
const FRAME_END = 0xce;
const ARRAY = 'A'.charCodeAt(0);
/** Property flags with headers only (AMQP 0-9-1, section 4.2.6.1). */
const HEADERS_FLAG = 0x2000;
const BASIC = 60;

/** Sends a message with one header of `depth` nested arrays, which no client library encodes. Uses channel 1. */
export function sendDeepHeaders(client: ChannelModel, queue: string, depth: number): void {
  const body = Buffer.from('{}');
  const method = definitions.encodeMethod(definitions.BasicPublish, CHANNEL, {
    exchange: '',
    routingKey: queue,
    ticket: 0,
    mandatory: false,
    immediate: false,
  });
  const { stream } = (client as unknown as WithStream).connection;
  stream.write(Buffer.concat([method, frame(HEADER_FRAME, headerOf(body, depth)), frame(BODY_FRAME, body)]));
}

function headerOf(body: Buffer, depth: number): Buffer {
  const fixed = Buffer.alloc(14);
  fixed.writeUInt16BE(BASIC, 0);
  fixed.writeBigUInt64BE(BigInt(body.length), 4);
  fixed.writeUInt16BE(HEADERS_FLAG, 12);
  const name = Buffer.from([1, 'a'.charCodeAt(0)]);
  const levels = Array.from({ length: depth }, (_, level) => {
    const array = Buffer.alloc(5);
    array[0] = ARRAY;
    array.writeUInt32BE(5 * (depth - level - 1), 1);
    return array;
  });
  const table = Buffer.concat([name, ...levels]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(table.length);
  return Buffer.concat([fixed, size, table]);
}

function frame(type: number, payload: Buffer): Buffer {
  const start = Buffer.alloc(7);
  start[0] = type;
  start.writeUInt16BE(CHANNEL, 1);
  start.writeUInt32BE(payload.length, 3);
  return Buffer.concat([start, payload, Buffer.from([FRAME_END])]);
}
