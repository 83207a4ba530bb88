import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import type { KeyfoldRequest } from './keyfold-request.js';

/** Bytes that are made once and asked for many times; `etag` is quoted. */
export type RevalidatedAnswer = Readonly<{ type: string; bytes: Buffer; etag: string }>;

/** An answer with the strong entity tag of its bytes. */
export const revalidatedAnswer = (type: string, bytes: Buffer): RevalidatedAnswer => ({
  type,
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
});

/** Sends it, or 304 to whoever has it. It is the same for everybody, but with one header more for other origins. */
export function sendRevalidated({ headers }: KeyfoldRequest, reply: FastifyReply, answer: RevalidatedAnswer): void {
  reply.header('Cache-Control', 'no-cache').header('ETag', answer.etag).header('Vary', 'Origin');
  if (namesTag(headers['if-none-match'], answer.etag)) reply.code(304).send();
  else reply.code(200).header('Content-Type', answer.type).send(answer.bytes);
}

/** RFC 9110 section 13.1.2: `If-None-Match` is a list of tags, and weak ones count as equal. */
const namesTag = (header: string | undefined, tag: string) =>
  header === '*' || (header ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
