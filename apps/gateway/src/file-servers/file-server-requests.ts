import type { Origin } from '@keyfold/application';
import {
  checkedBody,
  checkedKnownFields,
  checkedQuery,
  Fault,
  inputRefusal,
  parseQuery,
  QUERY_BYTES,
  type InputClass,
} from '@keyfold/http-envelope';
import { traceparentOf } from '@keyfold/trace-context';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientCorrelationOf } from '../request/request-reading.js';

/** In bytes. The longest name and the longest password have less, even with escapes. */
const BODY_BYTES = 65_536;

/** Returns the path of a request without its query. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0]!;

/**
 * Returns the query, checked by the class.
 *
 * @throws Refusal 400 that names every wrong field.
 */
export function queryOf<T extends object>(Input: InputClass<T>, { url = '/' }: IncomingMessage): T {
  const start = url.indexOf('?');
  const query = start < 0 ? '' : url.slice(start + 1);
  if (query.length > QUERY_BYTES) throw inputRefusal('query-too-long');
  return checkedQuery(Input, parseQuery(query));
}

/**
 * Reads the JSON body, checked by the class.
 *
 * @throws Refusal 400 that names every wrong field; Fault 413 if the body is too long.
 */
export async function bodyOf<T extends object>(Input: InputClass<T>, request: IncomingMessage): Promise<T> {
  return checkedBody(Input, await bytesOf(request, BODY_BYTES), request.headers['content-type']);
}

/**
 * Reads the JSON body of a file server with a format of its own, checked by the class. Unknown fields are ignored.
 *
 * @throws Refusal 400 that names every wrong field; Fault 413 if the body has more than `most` bytes.
 */
export async function foreignBodyOf<T extends object>(
  Input: InputClass<T>,
  request: IncomingMessage,
  most: number,
): Promise<T> {
  return checkedKnownFields(Input, await bytesOf(request, most), request.headers['content-type']);
}

async function bytesOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new Fault(413, `the body is too long: at most ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns where a change comes from. The address is that of the peer: this port believes no forwarded header. */
export function originOf(request: IncomingMessage): Origin {
  const { headers, socket } = request;
  const clientCorrelation = clientCorrelationOf({ headers });
  const traceparent = traceparentOf(headers['traceparent']);
  return {
    correlation: randomUUID(),
    address: socket.remoteAddress ?? '',
    ...(clientCorrelation !== undefined && { clientCorrelation }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
