/** Bytes: of the 64 KiB that a head may have, of the 16 KiB of a query, of the 128 KiB of a body, of the 16 KiB of a key. */
const [HEAD, QUERY, BODY, KEY] = [60_000, 16_000, 131_000, 16_000];

const filled = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length));
const unsigned = (payload: string) => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${payload}.${'A'.repeat(43)}`;

/** Headers that take long to read. */
export const HEADERS: [what: string, headers: Record<string, string>][] = [
  ['a list of very many tags', { 'if-none-match': filled(',', HEAD) }],
  ['the longest list of tags that is read', { 'if-none-match': filled('W/,', 1_024) }],
  ['very many forwarded addresses', { 'x-forwarded-for': filled('1.2.3.4,', HEAD) }],
  ['very many forwarded addresses of a trusted proxy', { 'x-forwarded-for': filled('127.0.0.1,', HEAD) }],
  ['a forwarded address of very many parts', { 'x-forwarded-for': filled('0:', HEAD) }],
  ['a token of very many parts', { authorization: filled('a.', HEAD) }],
  ['a long token with a wrong signature', { authorization: unsigned(filled('a', HEAD)) }],
  ['a long bearer token', { authorization: `Bearer ${filled('a', HEAD)}` }],
  ['a long basic authorization', { authorization: `Basic ${filled('a', HEAD)}` }],
  ['a long static token', { authorization: `openlist-${filled('a', HEAD)}` }],
  ['very many cookies', { cookie: filled('keyfold_device=; ', HEAD) }],
  ['a long device token', { 'x-device-token': filled('a.', HEAD) }],
  ['a device token with a wrong signature', { 'x-device-token': unsigned(filled('a', 900)) }],
  ['a long origin', { origin: `http://${filled('a', HEAD)}` }],
  ['a long trace', { traceparent: `00-${filled('a', HEAD)}` }],
];

/** Queries that take long to read. */
export const QUERIES: [what: string, query: string][] = [
  ['pairs', filled('%41&', QUERY)],
  ['pairs, too long to be read', filled('%41&', HEAD)],
  ['broken pairs', filled('%&', QUERY)],
  ['escapes', `page=${filled('%30', QUERY)}`],
  ['bytes that are no UTF-8', `page=${filled('%ff', QUERY)}`],
  ['digits', `page=${filled('9', QUERY)}`],
];

/** Bodies that take long to read. */
export const BODIES: [what: string, body: string | Buffer][] = [
  ['deep JSON', filled('[', BODY)],
  ['very many fields', `{${filled('"":1,', BODY)}"a":1}`],
  ['a known field very many times', `{${filled('"USERNAME":"",', BODY)}"a":1}`],
  ['very many escapes', `{"username":"${filled('\\u0041', BODY)}"}`],
  ['very many broken escapes', `{"username":"${filled('\\ud800', BODY)}"}`],
  ['very many numbers', `{"x":[${filled('1e1,', BODY)}1]}`],
  ['a long number', `{"x":1.${filled('9', BODY)}e99}`],
  ['a long name', `{"username":"${filled('a', BODY)}","password":"a"}`],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from('{"username":"'), Buffer.alloc(BODY, 0xff)])],
];

function wireKey(type: string, ...parts: Buffer[]): string {
  const strings = [Buffer.from(type), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${type} ${Buffer.concat(strings).toString('base64')}`;
}

/** Texts of keys that take long to read; none is a key. */
export const KEYS: [what: string, text: string][] = [
  ['a huge modulus', wireKey('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(11_000, 0x7f))],
  ['a huge exponent', wireKey('ssh-rsa', Buffer.alloc(11_000, 0x7f), Buffer.from([1, 0, 1]))],
  ['a point that is on no curve', wireKey('ecdsa-sha2-nistp521', Buffer.from('nistp521'), Buffer.alloc(133, 4))],
  ['very many empty parts', `ssh-rsa ${Buffer.alloc(12_000).toString('base64')}`],
  ['very many comments', filled('#\n', KEY)],
  ['very many carriage returns', filled('ssh-rsa AAAA\r', KEY)],
  ['spaces', `ssh-rsa${filled(' ', KEY)}`],
];
