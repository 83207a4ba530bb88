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

/**
 * Returns the headers of a request as names and values in turn. `Host` is kept, because OpenList builds addresses from it. `forwarder` is the mark of this
 * service, which downloads do not get.
 */
export function requestHeaders(
  { url = '', rawHeaders, headers }: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'headers'>,
  { authorization, address, protocol, host }: Sender,
  forwarder: string,
): string[] {
  const kept = withoutHeaders(rawHeaders, NOT_SENT, namedBy(headers.connection));
  if (authorization !== undefined) kept.push('Authorization', authorization);
  if (address !== '') kept.push('X-Forwarded-For', address);
  kept.push('X-Forwarded-Proto', protocol);
  if (host !== undefined) kept.push('X-Forwarded-Host', host);
  if (!isDownload(url)) kept.push(FORWARDER, forwarder);
  return kept;
}

/** Returns whether OpenList may pass the headers of a request on to a storage provider. */
const isDownload = (url: string): boolean => /^\/(?:[dp]|a[dep]|sa?d|dav|s3)(?:[/?]|$)/.test(url);

/** Returns the headers of an answer as names and values in turn. Their bytes stay as they are. */
export function answerHeaders(raw: readonly (Buffer | string)[], hstsSeconds: number): string[] {
  const texts = raw.map((each) => (typeof each === 'string' ? each : each.toString('latin1')));
  const connection = texts.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'connection');
  const named = namedBy(connection < 0 ? undefined : texts[connection + 1]);
  if (hstsSeconds === 0) return withoutHeaders(texts, NOT_RETURNED, named);
  const kept = withoutHeaders(texts, NOT_RETURNED, [...named, 'strict-transport-security']);
  kept.push('Strict-Transport-Security', `max-age=${hstsSeconds}`);
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
