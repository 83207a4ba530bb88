import { traceparentOf } from '@keyfold/event-store';
import type { ConsumeMessage } from 'amqplib';
import { InvalidMessage } from '../consuming/consuming.errors.js';

/** What a message says beside its body. Nothing of it is believed: what has not the right form counts as not there. */
export type Envelope = Readonly<{
  id: string | undefined;
  /** Whether there is an id that is too long or has other letters than an id may have. */
  hasUnfitId: boolean;
  type: string | undefined;
  attempt: number;
  /** When it failed first, RFC 3339. */
  firstFailedAt: string | undefined;
  correlation: string | undefined;
  traceparent: string | undefined;
}>;

/** Bytes; a longer body is not even read. */
export const LONGEST_BODY = 65_536;

/** What a message id may be. */
const ID = /^[\x21-\x7e]{1,200}$/;
const TYPE = /^[a-z0-9]+(?:[.-][a-z0-9]+){0,31}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const LONGEST_TYPE = 128;
const MOST_ATTEMPTS = 1_000;

/** Reads properties and headers; never throws. Both separators of CloudEvents over AMQP are read. */
export function envelopeOf({ properties }: Pick<ConsumeMessage, 'properties'>): Envelope {
  const headers: unknown = properties.headers;
  const attribute = (name: string) =>
    ownValue(headers, `cloudEvents_${name}`) ?? ownValue(headers, `cloudEvents:${name}`);
  const ids: readonly unknown[] = [properties.messageId, attribute('id')];
  const id = matching(ID, ids[0]) ?? matching(ID, ids[1]);
  const attempt = ownValue(headers, 'x-attempt');
  return {
    id,
    hasUnfitId: id === undefined && ids.some((given) => given !== undefined && given !== ''),
    type: typeOf(attribute('type')) ?? typeOf(properties.type),
    attempt: isAttempt(attempt) ? attempt : 1,
    firstFailedAt: matching(MOMENT, ownValue(headers, 'x-first-failed-at')),
    correlation: matching(ID, attribute('correlationid')) ?? matching(ID, properties.correlationId) ?? id,
    traceparent: traceparentOf(attribute('traceparent')) ?? traceparentOf(ownValue(headers, 'traceparent')),
  };
}

/** What a line of the log names a message by, as far as the message says it. */
export const namesOf = ({ id, type, correlation }: Envelope) => ({
  ...(id !== undefined && { id }),
  ...(type !== undefined && { type }),
  ...(correlation !== undefined && { correlation }),
});

/** The data of a message. Throws `InvalidMessage` for everything that is no JSON of bearable size. */
export function dataOf({ content, properties }: Pick<ConsumeMessage, 'content' | 'properties'>): unknown {
  if (content.length > LONGEST_BODY) throw new InvalidMessage('body-too-large', `more than ${LONGEST_BODY} bytes`);
  requireJson(properties);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as unknown;
  } catch {
    throw new InvalidMessage('body-malformed', 'the body is no JSON in UTF-8');
  }
}

/** A message that does not say what its body is has JSON. */
function requireJson({ contentType, contentEncoding }: ConsumeMessage['properties']): void {
  const type: unknown = contentType;
  const encoding: unknown = contentEncoding;
  const isJson = type === undefined || (typeof type === 'string' && /^(?:application\/json\b|$)/i.test(type));
  const isPlain = encoding === undefined || (typeof encoding === 'string' && /^(?:utf-?8|identity|)$/i.test(encoding));
  if (!isJson || !isPlain) throw new InvalidMessage('content-type-unknown', 'the body must be application/json');
}

/** Headers are made by strangers: a name like `__proto__` must not lead to what they inherit. */
function ownValue(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null || !Object.hasOwn(headers, name)) return undefined;
  return (headers as Record<string, unknown>)[name];
}

const matching = (form: RegExp, value: unknown) =>
  typeof value === 'string' && value.length <= 1_024 && form.test(value) ? value : undefined;

const typeOf = (value: unknown) =>
  typeof value === 'string' && value.length <= LONGEST_TYPE ? matching(TYPE, value) : undefined;

const isAttempt = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_ATTEMPTS;
