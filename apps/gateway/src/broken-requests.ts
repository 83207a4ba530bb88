import { errorEnvelope } from '@keyfold/http-envelope';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { OpenAnswers } from './open-answers.js';

const STATUS_OF: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
/** Milliseconds that a client has to close a connection on which it sent something broken. */
const LINGER = 5_000;
/** A line of HTTP with any method at all (RFC 9110 section 9.1). */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \/\S* HTTP\/1\.[01]$/;
/** The methods that routes have; whoever is told them has a method that Node does not even read. */
const METHODS = 'GET, HEAD, POST';

/** What Node says of bytes that it cannot read: they came with `rawPacket` (a Buffer), of which it had read `bytesParsed`. */
export type BrokenRequest = Error & { code?: string; rawPacket?: unknown; bytesParsed?: number };

/**
 * Answers what never becomes a request of Fastify's: headers that are too large, a request that comes too slowly, a method that is not known,
 * bytes that are no HTTP. Requests that came before on the same connection get their answers first; then it ends.
 */
export function answerBrokenRequest(error: BrokenRequest, socket: Socket): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  const answers = OpenAnswers.of(socket);
  // What else comes in is broken, too. Ending the connection at once could cost the client the answers on their way.
  if (answers.isClosing) return;
  // After a timeout the parser still works: a late request must not begin behind the refusal.
  socket.pause();
  void answers.given().then(() => refuse(error, socket));
}

function refuse(error: BrokenRequest, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const status = hasUnknownMethod(error) ? 405 : (STATUS_OF[error.code ?? ''] ?? 400);
  const reason = STATUS_CODES[status]!;
  const body = errorEnvelope(status, reason.toLowerCase());
  const all = { ...headersOf(body), ...(status === 405 && { Allow: METHODS }) };
  const headers = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`);
  // Takes what the client still sends, so that it can read the answer, and does not wait for ever for the client's end.
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once('close', () => clearTimeout(linger));
}

/** Bytes that are no HTTP at all are an invalid method to Node as well. */
function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: BrokenRequest): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  const packet = rawPacket.toString('latin1');
  const start = packet.slice(0, bytesParsed).lastIndexOf('\n') + 1;
  return REQUEST_LINE.test(packet.slice(start).split('\r\n', 1)[0]!);
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
