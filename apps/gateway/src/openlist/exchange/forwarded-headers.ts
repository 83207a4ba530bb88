import { FORWARDER } from '@keyfold/openlist';
import type { IncomingMessage } from 'node:http';

/** The values that OpenList gets in place of those of the client. Absent ones are not sent. */
export type Sender = Readonly<{
  authorization: string | undefined;
  /** The address of the client. */
  address: string;
  /** The scheme and host under which the client reached the first proxy. */
  protocol: string;
  host: string | undefined;
}>;

/** Headers of one connection (RFC 9110 section 7.6.1). `Expect` is answered here. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const NOT_SENT = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-forwarded-scheme',
  'x-real-ip',
  FORWARDER,
]);
const NOT_RETURNED = new Set(HOP_BY_HOP);
/** Headers with which an answer lets caches keep it. Some caches prefer their own to `Cache-Control`. */
const CACHING = [
  'cache-control',
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'expires',
  'pragma',
  'surrogate-control',
  'x-accel-expires',
];

/** Changes to the headers of an answer. `isPrivate`: it depends on the caller, so no cache may keep it. */
export type AnswerPolicy = Readonly<{ hstsSeconds: number; isPrivate: boolean }>;

/**
 * Returns the headers of a request as names and values in turn. `Host` is kept, because OpenList builds addresses from it. `forwarder` is the mark of this
 * service, if the request gets it.
 */
export function requestHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  { authorization, address, protocol, host }: Sender,
  forwarder: string | undefined,
): string[] {
  const kept = withoutHeaders(rawHeaders, NOT_SENT, namedBy(headers.connection));
  if (authorization !== undefined) kept.push('Authorization', authorization);
  if (address !== '') kept.push('X-Forwarded-For', address);
  kept.push('X-Forwarded-Proto', protocol);
  if (host !== undefined) kept.push('X-Forwarded-Host', host);
  if (forwarder !== undefined) kept.push(FORWARDER, forwarder);
  return kept;
}

/** Returns the headers of an answer as names and values in turn. Their bytes stay as they are. */
export function answerHeaders(raw: readonly (Buffer | string)[], { hstsSeconds, isPrivate }: AnswerPolicy): string[] {
  const texts = raw.map((each) => (typeof each === 'string' ? each : each.toString('latin1')));
  const connection = texts.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'connection');
  const named = namedBy(connection < 0 ? undefined : texts[connection + 1]);
  if (hstsSeconds > 0) named.push('strict-transport-security');
  const kept = withoutHeaders(texts, NOT_RETURNED, isPrivate ? [...named, ...CACHING] : named);
  if (hstsSeconds > 0) kept.push('Strict-Transport-Security', `max-age=${hstsSeconds}`);
  if (isPrivate) kept.push('Cache-Control', 'no-store', 'Vary', 'Authorization');
  return kept;
}

/** Returns the further headers that a `Connection` header declares to be of one connection. It cannot take away those that frame the body. */
const namedBy = (connection = ''): string[] =>
  connection === '' || /^(close|keep-alive)$/i.test(connection)
    ? []
    : connection
        .toLowerCase()
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== 'host' && !each.startsWith('content-'));

function withoutHeaders(raw: readonly string[], removed: ReadonlySet<string>, others: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    if (!removed.has(name) && !others.includes(name)) kept.push(raw[index]!, raw[index + 1]!);
  }
  return kept;
}
