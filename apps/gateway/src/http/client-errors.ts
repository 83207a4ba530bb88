import { errorEnvelope } from '@keyfold/http-envelope';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PendingResponses } from './batched-response.js';

const STATUS_OF: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
/** Milliseconds that a client has to read the refusal and close the connection. */
const LINGER_TIME = 5_000;
/** A request line with any method (RFC 9110 section 9.1). */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \/\S* HTTP\/1\.[01]$/;
/** The `Allow` header for methods that Node does not know: the methods of the routes. */
const ALLOWED_METHODS = 'GET, HEAD, POST';

/** The error of Node's event `clientError`. Parsing of `rawPacket` (a Buffer) failed after `bytesParsed` bytes. */
export type ClientError = Error & { code?: string; rawPacket?: unknown; bytesParsed?: number };

/**
 * Responds to input that never reaches Fastify: headers that are too large, a request that takes too long, an unknown method, bytes that are not
 * HTTP.
 */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  const status = hasUnknownMethod(error) ? 405 : (STATUS_OF[error.code ?? ''] ?? 400);
  endConnection(socket, status, STATUS_CODES[status]!.toLowerCase());
}

/** Refuses the request that is being received, and ignores everything after it, even if it has arrived. */
export function refuseRest(socket: Socket, status: number, message: string): void {
  stopParsing(socket);
  endConnection(socket, status, message);
}

/** Answers earlier requests on the connection, then refuses the rest and closes it. */
function endConnection(socket: Socket, status: number, message: string): void {
  const responses = PendingResponses.of(socket);
  // Everything after the first error is invalid too. Closing at once could lose responses that are being written.
  if (responses.isDraining) return;
  // The parser survives a timeout, and a late request must not start after the refusal.
  socket.pause();
  void responses.drained().then(() => refuse(socket, status, message));
}

function refuse(socket: Socket, status: number, message: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = errorEnvelope(status, message);
  const allHeaders = { ...headersOf(body), ...(status === 405 && { Allow: ALLOWED_METHODS }) };
  const headers = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
  // Reads and discards what the client still sends. Otherwise the kernel would reset the connection, and the response could be lost. Adding a
  // listener detaches the connection from the parser.
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_TIME).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Node's parser. It calls its functions `[kOnHeaders]` and so on, whose numbers its class has. */
type Parser = Record<number, unknown> & Readonly<{ constructor: Record<string, number> }>;

const CALLBACKS = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete'] as const;

/**
 * Makes the parser of a connection skip whatever else arrives. Node passes it up to 64 KiB at once, and ten thousand chunks or two thousand requests
 * that fit in there could not be stopped otherwise. Other connections reuse the parser, so it gets its functions back when this one has closed.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser | null };
  if (!parser) return;
  for (const name of CALLBACKS) {
    const callback = parser.constructor[name]!;
    const original = parser[callback];
    if (original === null) return;
    parser[callback] = null;
    socket.once('close', () => (parser[callback] = original));
  }
}

/** Returns whether only the method is unknown. Node reports the same error for bytes that are not HTTP. */
function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ClientError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  const packet = rawPacket.toString('latin1');
  const start = packet.slice(0, bytesParsed).lastIndexOf('\n') + 1;
  return REQUEST_LINE.test(packet.slice(start).split('\r\n', 1)[0]!);
}

/** Refuses every expectation except `100-continue`, which Node handles itself (RFC 9110 section 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = errorEnvelope(417, 'only 100-continue can be expected');
  response.writeHead(417, headersOf(body)).end(body);
}

const headersOf = (body: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  Connection: 'close',
});
