import { errorEnvelope } from '@keyfold/http-envelope';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const STATUS_OF: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers what never becomes a request of Fastify's: headers that are too large, a request that comes too slowly, bytes that are no HTTP. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status]!;
  const body = errorEnvelope(status, reason.toLowerCase());
  const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`);
}

/** Node answers `Expect: 100-continue` by itself; there is nothing else to expect (RFC 9110 section 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = errorEnvelope(417, 'only 100-continue can be expected');
  response.writeHead(417, headersOf(body)).end(body);
}

const headersOf = (body: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  Connection: 'close',
});
