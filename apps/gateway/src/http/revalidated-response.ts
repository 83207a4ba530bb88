import type { FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import type { KeyfoldRequest } from '../request/request-reading.js';

/** A response that clients cache and revalidate. `etag` is quoted. The body is a string because Node sends strings together with the headers. */
export type RevalidatedResponse = Readonly<{ type: string; text: string; etag: string }>;

/** Creates a response whose strong ETag is a hash of its body. */
export const revalidatedResponse = (type: string, text: string): RevalidatedResponse => ({
  type,
  text,
  etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"`,
});

/** Sends the response, or 304 if the client has it. `Vary` names `Origin`, because cross-origin requests get an additional header. */
export function sendRevalidated(request: KeyfoldRequest, reply: FastifyReply, response: RevalidatedResponse): void {
  reply.header('cache-control', 'no-cache').header('vary', 'Origin');
  send(request, reply, response);
}

/** Like `sendRevalidated`, for a response that only the caller may see. */
export function sendPersonal(request: KeyfoldRequest, reply: FastifyReply, response: RevalidatedResponse): void {
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization, Origin');
  send(request, reply, response);
}

function send(request: KeyfoldRequest, reply: FastifyReply, response: RevalidatedResponse): void {
  reply.header('etag', response.etag);
  if (isCurrent(request, response)) reply.code(304).send();
  else reply.code(200).header('content-type', response.type).send(response.text);
}

/** Returns whether the client's copy is current (RFC 9110 section 13.1.2). Conditions apply to GET and HEAD only. */
const isCurrent = ({ method, headers }: KeyfoldRequest, { etag }: RevalidatedResponse) =>
  (method === 'GET' || method === 'HEAD') && containsTag(headers['if-none-match'], etag);

/** A longer list is ignored, and the client gets the full response. */
const MAX_TAG_LIST_LENGTH = 1_024;

/** Returns whether `If-None-Match` contains the tag. Weak tags match too. */
const containsTag = (list = '', tag: string) =>
  list.length <= MAX_TAG_LIST_LENGTH &&
  (list === '*' || list.split(',').some((each) => each.trim().replace(/^W\//, '') === tag));
