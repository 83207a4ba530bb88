import type { components } from './openapi.js';
import { current, signedOut, token } from './session.js';

type Routes = components['schemas']['Routes'];
type Method = 'get' | 'post';
type PathOf<M extends Method> = { [P in keyof Routes]: M extends keyof Routes[P] ? P : never }[keyof Routes];
type Part<Route, Name extends string> = Route extends { [key in Name]: infer Value } ? NonNullable<Value> : never;
/** The data of a success. */
type Data<M extends Method, P extends PathOf<M>> = Part<Part<Routes[P], M>, 'data'>;
type Parameters<M extends Method, P extends PathOf<M>> = Readonly<{
  query?: Part<Part<Routes[P], M>, 'query'>;
  body?: Part<Part<Routes[P], M>, 'body'>;
  signal?: AbortSignal;
}>;

/** The path that a proxy in front of the service strips; usually empty. */
export const PREFIX = /^(.*?)\/@account(?:\/|$)/.exec(window.location.pathname)?.[1] ?? '';

/** A refusal of the service, in its own words. `retryAfter` is in seconds. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** The service could not be reached, or something other than the service answered. */
export class Unreachable extends Error {}

/** @throws Refusal, Unreachable */
export const get = <P extends PathOf<'get'>>(path: P, parameters: Parameters<'get', P> = {}) =>
  call('get', path, parameters) as Promise<Data<'get', P>>;

/** @throws Refusal, Unreachable */
export const post = <P extends PathOf<'post'>>(path: P, parameters: Parameters<'post', P> = {}) =>
  call('post', path, parameters) as Promise<Data<'post', P>>;

type Sent = Readonly<{ query?: object; body?: unknown; signal?: AbortSignal }>;

/** Here, a refusal of the session is the answer. */
const ENTRANCES = ['/api/auth/login', '/api/auth/logout'];

/** Calls the service. When the session has ended, the person signs in again in place, and the call is repeated: no input is lost. */
async function call(method: Method, path: string, sent: Sent): Promise<unknown> {
  for (;;) {
    const used = token.value;
    const { code, message, data, retryAfter } = await exchange(method, path, sent, used);
    if (code === 200) return data;
    if (code !== 401 || used === undefined || ENTRANCES.includes(path)) throw new Refusal(code, message, retryAfter);
    if (used === token.value) await signedOut(message);
    // The person chose to sign in as someone else: this call is not theirs.
    if (token.value === undefined) throw new Refusal(code, message);
  }
}

type Answer = Readonly<{ code: number; message: string; data: unknown; retryAfter?: number | undefined }>;

async function exchange(
  method: Method,
  path: string,
  { query, body, signal }: Sent,
  used: string | undefined,
): Promise<Answer> {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  try {
    // With the origin, because a path that begins with two slashes would name another one.
    const response = await fetch(`${window.location.origin}${PREFIX}${path}${search && `?${search}`}`, {
      method: method.toUpperCase(),
      headers: {
        ...(used && { authorization: used }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (response.status === 204) return { code: 200, message: '', data: null };
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    return { ...((await response.json()) as Answer), retryAfter };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable('', { cause: error });
  }
}

/** Reads the signed-in account again, after it was changed here. */
export async function refreshAccount(): Promise<void> {
  if (token.value !== undefined) current.value = await get('/api/me');
}

/** Asks the person to sign in again after a change that ended all sessions. `reason` says so. */
export async function renewSession(reason: string): Promise<void> {
  await signedOut(reason, 'expected');
  await refreshAccount();
}
