import { traceparentOf } from '@keyfold/event-store';
import type { ConsumeMessage } from 'amqplib';
import { InvalidMessage } from '../../consuming.js';

/** The validated properties and headers of a message. Invalid values are treated as absent, because anyone can send a message. */
export type Envelope = Readonly<{
  id: string | undefined;
  /** Whether there is an id, but it is too long or contains invalid characters. */
  hasInvalidId: boolean;
  type: string | undefined;
  attempt: number;
  /** When the first attempt failed, as an RFC 3339 timestamp. */
  firstFailedAt: string | undefined;
  correlation: string | undefined;
  traceparent: string | undefined;
}>;

/** In bytes. Longer bodies are dropped on arrival; this header then has their length. */
export const MAX_BODY = 65_536;
export const BODY_SIZE_HEADER = 'x-body-bytes';

/** Of a message or a correlation, in visible ASCII characters. */
export const MAX_ID_LENGTH = 200;
const ID = /^[\x21-\x7e]+$/;
const TYPE = /^[a-z0-9]+(?:[.-][a-z0-9]+){0,31}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const MAX_TYPE_LENGTH = 128;
const MAX_ATTEMPT = 1_000;

/** Reads the properties and headers of a message. Accepts both CloudEvents prefixes, `cloudEvents_` and `cloudEvents:`. Never throws. */
export function envelopeOf({ properties }: Pick<ConsumeMessage, 'properties'>): Envelope {
  const headers: unknown = properties.headers;
  const attribute = (name: string) =>
    ownValue(headers, `cloudEvents_${name}`) ?? ownValue(headers, `cloudEvents:${name}`);
  const ids: readonly unknown[] = [properties.messageId, attribute('id')];
  const id = matching(ID, ids[0]) ?? matching(ID, ids[1]);
  const attempt = ownValue(headers, 'x-attempt');
  return {
    id,
    hasInvalidId: id === undefined && ids.some((given) => given !== undefined && given !== ''),
    type: typeOf(attribute('type')) ?? typeOf(properties.type),
    attempt: isAttempt(attempt) ? attempt : 1,
    firstFailedAt: matching(TIMESTAMP, ownValue(headers, 'x-first-failed-at')),
    correlation: matching(ID, attribute('correlationid')) ?? matching(ID, properties.correlationId) ?? id,
    traceparent: traceparentOf(attribute('traceparent')) ?? traceparentOf(ownValue(headers, 'traceparent')),
  };
}

/** Returns the fields that identify a message in the log. */
export const logFieldsOf = ({ id, type, correlation }: Envelope) => ({
  ...(id !== undefined && { id }),
  ...(type !== undefined && { type }),
  ...(correlation !== undefined && { correlation }),
});

/**
 * Parses the JSON body of a message.
 *
 * @throws InvalidMessage the body is too large or not JSON
 */
export function dataOf({ content, properties }: Pick<ConsumeMessage, 'content' | 'properties'>): unknown {
  if (content.length > MAX_BODY || ownValue(properties.headers, BODY_SIZE_HEADER) !== undefined)
    throw new InvalidMessage('body-too-large', `the body has more than ${MAX_BODY} bytes`);
  requireJson(properties);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as unknown;
  } catch {
    throw new InvalidMessage('body-malformed', 'the body is not JSON in UTF-8');
  }
}

/** A message without a content type is taken as JSON. */
function requireJson({ contentType, contentEncoding }: ConsumeMessage['properties']): void {
  const type: unknown = contentType;
  const encoding: unknown = contentEncoding;
  const isJson = type === undefined || (typeof type === 'string' && /^(?:application\/json\b|$)/i.test(type));
  const isPlain = encoding === undefined || (typeof encoding === 'string' && /^(?:utf-?8|identity|)$/i.test(encoding));
  if (!isJson || !isPlain) throw new InvalidMessage('content-type-unknown', 'the body must be application/json');
}

/** Headers come from outside, so a name like `__proto__` must not reach inherited members. */
function ownValue(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null || !Object.hasOwn(headers, name)) return undefined;
  return (headers as Record<string, unknown>)[name];
}

const matching = (form: RegExp, value: unknown, maxLength = MAX_ID_LENGTH) =>
  typeof value === 'string' && value.length <= maxLength && form.test(value) ? value : undefined;

const typeOf = (value: unknown) => matching(TYPE, value, MAX_TYPE_LENGTH);

const isAttempt = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ATTEMPT;
