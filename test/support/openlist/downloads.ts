import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './exchange.js';
import { contentTypeOf, etagOf, type Entry } from './files.js';

/** Bytes to download, of which any part can be read. */
type Content = Readonly<{
  size: number;
  headers: Readonly<Record<string, string>>;
  etag: string;
  read: (start: number, end: number) => Readable;
}>;

/** A prime length, so that lost or repeated bytes change the sum of a long download. */
const PERIOD = 65_521;
const block = createHash('shake256', { outputLength: PERIOD }).update('bytes of the double').digest();
const blocks = Buffer.concat([block, block]);

/** Returns the SHA-256 of `/big/<size>` in hexadecimal digits. */
export function bigSha256(size: number): string {
  const sha256 = createHash('sha256');
  for (const chunk of bigChunks(0, size)) sha256.update(chunk);
  return sha256.digest('hex');
}

/** Answers with as many bytes as the path asks for, at the speed of the client. */
export async function sendBig(exchange: Exchange, size: number): Promise<void> {
  await sendContent(exchange, {
    size,
    etag: `"big-${size}"`,
    headers: { 'content-type': 'application/octet-stream' },
    read: (start, end) => Readable.from(bigChunks(start, end), { objectMode: false }),
  });
}

/** Sends a byte again and again until the client goes. */
export async function sendEndless({ response }: Exchange): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  while (!response.destroyed) {
    response.write('x');
    await sleep(50);
  }
}

/** The `Cache-Control` of a storage provider. OpenList passes it on. */
export const CACHED = 'public, max-age=600';

/** Answers with a file, or with the part of it that the client asks for. */
export async function sendFile(exchange: Exchange, entry: Entry): Promise<void> {
  const { bytes, name, modified } = entry;
  if (!bytes) return exchange.sendErrorPage(500, 'Internal Server Error', 'the double keeps no large uploads');
  await sendContent(exchange, {
    size: bytes.length,
    etag: etagOf(entry),
    headers: {
      'content-type': contentTypeOf(entry),
      'content-disposition': `attachment; filename="${name}"; filename*=utf-8''${encodeURIComponent(name)}`,
      'last-modified': modified.toUTCString(),
      'cache-control': CACHED,
    },
    read: (start, end) => Readable.from([bytes.subarray(start, end)], { objectMode: false }),
  });
}

async function sendContent(exchange: Exchange, { size, headers, etag, read }: Content): Promise<void> {
  const { response, method } = exchange;
  const all = { ...headers, 'accept-ranges': 'bytes', etag };
  if (exchange.header('if-none-match') === etag) return void response.writeHead(304, { etag }).end();
  const ifRange = exchange.header('if-range');
  const range = ifRange === '' || ifRange === etag ? rangeOf(exchange.header('range'), size) : undefined;
  if (range === 'unsatisfiable') {
    return exchange.send(416, 'text/plain; charset=utf-8', '', { 'content-range': `bytes */${size}` });
  }
  const [start, end] = range ?? [0, size];
  const partial = range && { 'content-range': `bytes ${start}-${end - 1}/${size}` };
  response.writeHead(range ? 206 : 200, { ...all, ...partial, 'content-length': end - start });
  if (method === 'HEAD' || start === end) return void response.end();
  // A client that breaks off is counted, and no error of the double.
  await pipeline(read(start, end), response).catch(() => {});
}

/** Reads a single range of bytes; the end is exclusive. */
function rangeOf(text: string, size: number): readonly [number, number] | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return [Math.max(0, size - Number(last)), size];
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  return Number(first) < end ? [Number(first), end] : 'unsatisfiable';
}

function* bigChunks(start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end;) {
    const length = Math.min(PERIOD, end - at);
    const offset = at % PERIOD;
    yield blocks.subarray(offset, offset + length);
    at += length;
  }
}
