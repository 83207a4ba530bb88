import type { FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import type { KeyfoldRequest } from './keyfold-request.js';

/** What is made once and asked for many times; `etag` is quoted. A text, because it is written together with its headers, bytes are not. */
export type RevalidatedAnswer = Readonly<{ type: string; text: string; etag: string }>;

/** An answer with the strong entity tag of its bytes. */
export const revalidatedAnswer = (type: string, text: string): RevalidatedAnswer => ({
  type,
  text,
  etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"`,
});

/** Sends it, or 304 to whoever has it. It is the same for everybody, but with one header more for other origins. */
export function sendRevalidated(request: KeyfoldRequest, reply: FastifyReply, answer: RevalidatedAnswer): void {
  reply.header('cache-control', 'no-cache').header('etag', answer.etag).header('vary', 'Origin');
  if (isKnown(request, answer)) reply.code(304).send();
  else reply.code(200).header('content-type', answer.type).send(answer.text);
}

/** RFC 9110 section 13.1.2: whoever reads may have the answer. Other methods do here what reading does, and no condition keeps them from it. */
const isKnown = ({ method, headers }: KeyfoldRequest, { etag }: RevalidatedAnswer) =>
  (method === 'GET' || method === 'HEAD') && namesTag(headers['if-none-match'], etag);

/** Nobody has so many versions; a longer list is not read, and who sent it gets the whole answer. */
const LONGEST_TAG_LIST = 1_024;

/** `If-None-Match` is a list of tags, and weak ones count as equal. */
const namesTag = (list = '', tag: string) =>
  list.length <= LONGEST_TAG_LIST &&
  (list === '*' || list.split(',').some((each) => each.trim().replace(/^W\//, '') === tag));
