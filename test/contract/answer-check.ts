import { readQrPicture } from '../support/qr.js';
import type { HttpAnswer, Json, PictureAnswer, TokenAnswer } from './recording.js';
import { templateDifference, templateOccurs } from './template.js';

/** A raw HTTP answer: header names in lower case, the body as UTF-8. */
export interface ReceivedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The additional last field of Keyfold's refusals of one-time codes, which is compared nowhere. */
const SERVER_TIME = /,"server_time":\d+\}$/;

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
/** The additional last fields of Keyfold's listed keys, which are compared nowhere. They must follow the last field of the contract. */
const KEY_FIELDS = new RegExp(
  `(?<="last_used_time":${TEXT}),"type":${TEXT},"bits":\\d+,"comment":${TEXT},"fingerprint_md5":"MD5(?::[0-9a-f]{2}){16}"` +
    `,"expires_time":(?:null|${TEXT}),"expired":(?:true|false)(?=\\})`,
  'g',
);

/** Returns a sentence for each difference from the expected answer. */
export function answerDifferences(expected: HttpAnswer, answer: ReceivedAnswer): string[] {
  const received = { ...answer, body: answer.body.replace(SERVER_TIME, '}').replaceAll(KEY_FIELDS, '') };
  return [
    ...(received.status === expected.status ? [] : [`status: expected ${expected.status}, got ${received.status}`]),
    ...headerDifferences(expected, received),
    ...textDifferences(expected, received.body),
    ...dataDifferences(expected, received.body),
  ];
}

function headerDifferences({ type, headers }: HttpAnswer, received: ReceivedAnswer): string[] {
  const all = Object.entries({ ...(type === undefined ? {} : { 'content-type': type }), ...headers });
  return all.flatMap(([name, template]) => {
    const value = received.headers[name]?.toString();
    if (template === null) return value === undefined ? [] : [`${name}: expected none, got ${value}`];
    if (value === undefined) return [`${name}: expected ${template}, got none`];
    return differenceAt(name, templateDifference(template, value));
  });
}

function textDifferences({ body: template, has = [], lacks = [] }: HttpAnswer, body: string): string[] {
  return [
    ...optionalDifference('body', template, body),
    ...has.filter((piece) => !templateOccurs(piece, body)).map((piece) => `body: lacks ${piece}`),
    ...lacks.filter((piece) => templateOccurs(piece, body)).map((piece) => `body: has ${piece}`),
  ];
}

function dataDifferences({ keys, eachKeys, length, strings }: HttpAnswer, body: string): string[] {
  if (keys === undefined && eachKeys === undefined && length === undefined && !strings) return [];
  const data = dataOf(body);
  if (data === undefined) return ['body: is not JSON with data'];
  return [
    ...(keys ? sameKeys('data', keys, data) : []),
    ...(eachKeys ? itemsOf(data).flatMap((item, index) => sameKeys(`item ${index}`, eachKeys, item)) : []),
    ...(eachKeys && itemsOf(data).length === 0 ? ['data: expected items, got none'] : []),
    ...(length === undefined || (isList(data) && itemsOf(data).length === length)
      ? []
      : [`data: expected ${length} items, got ${isList(data) ? itemsOf(data).length : 'no list'}`]),
    ...(strings ? onlyStrings(data) : []),
  ];
}

function dataOf(body: string): Json | undefined {
  try {
    return (JSON.parse(body) as { data?: Json } | null)?.data;
  } catch {
    return undefined;
  }
}

/** Returns the list, which is either the data itself or the content of a page. */
function listOf(data: Json): Json | undefined {
  return data !== null && typeof data === 'object' && !Array.isArray(data) ? data['content'] : data;
}

function isList(data: Json): boolean {
  return Array.isArray(listOf(data));
}

function itemsOf(data: Json): Json[] {
  const list = listOf(data);
  return Array.isArray(list) ? list : [];
}

function sameKeys(field: string, expected: string[], value: Json): string[] {
  const keys = value !== null && typeof value === 'object' ? Object.keys(value) : [];
  if (keys.join() === expected.join()) return [];
  return [`${field}: expected the keys ${expected.join()}, got ${keys.join()}`];
}

function onlyStrings(data: Json): string[] {
  if (data === null || typeof data !== 'object') return ['data: expected strings, got none'];
  const others = Object.entries(data).filter(([, value]) => typeof value !== 'string');
  return others.map(([key, value]) => `data.${key}: expected a string, got ${JSON.stringify(value)}`);
}

function differenceAt(field: string, difference: string | undefined): string[] {
  return difference === undefined ? [] : [`${field}: ${difference}`];
}

function optionalDifference(field: string, template: string | undefined, text: string): string[] {
  return template === undefined ? [] : differenceAt(field, templateDifference(template, text));
}

/** Returns a sentence for each difference in a JWT. Does not check the signature. */
export function tokenDifferences(expected: TokenAnswer, token: string): string[] {
  const [header = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  const values = JSON.parse(claims) as Record<string, unknown>;
  const lifetime = Number(values['exp']) - Number(values['iat']);
  return [
    ...optionalDifference('header', expected.header, header),
    ...optionalDifference('claims', expected.claims, claims),
    ...(expected.lifetime === undefined || expected.lifetime === lifetime
      ? []
      : [`lifetime: expected ${expected.lifetime} s, got ${lifetime} s`]),
    ...Object.entries(expected.hasClaims ?? {})
      .filter(([name, type]) => typeof values[name] !== type)
      .map(([name, type]) => `claim ${name}: expected a ${type}, got ${JSON.stringify(values[name])}`),
  ];
}

/** Returns a sentence for each difference in an enrolment picture: its size, the label or a parameter of its URL. */
export function pictureDifferences({ size, otpauth }: PictureAnswer, address: string): string[] {
  const { width, height, text } = readQrPicture(address);
  const shown = otpauthOf(text);
  const names = new Set([...Object.keys(otpauth), ...Object.keys(shown)]);
  return [
    ...(size === `${width}x${height}` ? [] : [`size: expected ${size}, got ${width}x${height}`]),
    ...[...names]
      .filter((name) => otpauth[name] !== shown[name])
      .map((name) => `${name}: expected ${otpauth[name] ?? 'none'}, got ${shown[name] ?? 'none'}`),
  ];
}

function otpauthOf(text: string): Record<string, string> {
  const [, label, parameters] = /^otpauth:\/\/totp\/([^?]*)\?(.*)$/.exec(text) ?? [];
  if (label === undefined) throw new Error(`not an otpauth URL: ${text}`);
  return { label: decodeURIComponent(label), ...Object.fromEntries(new URLSearchParams(parameters)) };
}
