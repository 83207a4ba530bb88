import { request as requestOverHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Duplex } from 'node:stream';
import { IDLE_TIME } from './forwarded-body.js';
import { answerHeaders } from './forwarded-headers.js';

/** A connection whose client asks for another protocol. `head`: what it has sent of that already. */
export type Upgrading = Readonly<{ request: IncomingMessage; socket: Duplex; head: Buffer }>;

/**
 * Sends a request for another protocol to OpenList, on a connection of its own, and connects both sides if OpenList switches. Otherwise the client gets
 * OpenList's answer, and its connection ends. Rejects if OpenList cannot be reached.
 */
export function upgrade({ request, socket, head }: Upgrading, origin: string, headers: string[]): Promise<void> {
  const asked = startRequest(request, origin, headers);
  // OpenList must not wait for a client that has gone.
  socket.once('close', () => asked.destroy());
  socket.on('error', () => socket.destroy());
  return new Promise((resolve, reject) => {
    asked.once('error', reject);
    asked.once('upgrade', (answer: IncomingMessage, behind: Duplex, early: Buffer) => {
      socket.write(headOf(answer, [...answerHeaders(answer.rawHeaders, 0), ...connectionOf(answer)]));
      socket.write(early);
      behind.write(head);
      join(socket, behind);
      resolve();
    });
    asked.once('response', (answer: IncomingMessage) => {
      socket.write(headOf(answer, [...answerHeaders(answer.rawHeaders, 0), 'Connection', 'close']));
      answer.pipe(socket);
      answer.once('error', () => socket.destroy());
      resolve();
    });
    asked.end();
  });
}

function startRequest(request: IncomingMessage, origin: string, headers: string[]): ClientRequest {
  const start = origin.startsWith('https:') ? requestOverTls : requestOverHttp;
  const connection = ['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''];
  return start(new URL(request.url!, origin), {
    method: request.method,
    path: request.url,
    headers: [...headers, ...connection],
    agent: false,
    timeout: IDLE_TIME,
  });
}

function join(socket: Duplex, behind: Duplex): void {
  const end = () => {
    socket.destroy();
    behind.destroy();
  };
  for (const side of [socket, behind]) side.once('close', end).on('error', end);
  socket.pipe(behind).pipe(socket);
}

const connectionOf = ({ headers }: IncomingMessage) => ['Connection', 'Upgrade', 'Upgrade', headers.upgrade ?? ''];

function headOf({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): Buffer {
  const lines = headers.map((each, index) => (index % 2 === 0 ? `${each}: ` : `${each}\r\n`));
  return Buffer.from(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
}
