import { Fault } from '@keyfold/http-envelope';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';

/**
 * Returns the URL that the router receives. compat: the original routes by the unescaped path, so an escaped slash counts as a slash
 * (wire contract 1.2). Administration is the exception: escapes in its paths are kept literally, so no route matches. A proxy that blocks
 * `/api/admin` can therefore not be bypassed with another spelling, even one that compares undecoded paths (`path_beg` of HAProxy); a note for
 * operators would protect only its readers. No client needs an escape there, because these routes have no variable part. Others may.
 */
export function routedPath(url: string): string {
  // Fast path: very few URLs contain an escape.
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  const plain = path.replace(/%2f/gi, '/');
  const routed = isAdministration(plain) ? path.replaceAll('%', '%25') : plain;
  return routed + url.slice(path.length);
}

/** Returns whether a path that the router cannot unescape is well-formed. Its bytes are then not UTF-8, so no route matches. */
export const isReadablePath = (url: string): boolean => url.startsWith('/') && !BROKEN_ESCAPE.test(pathOf(url));

const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Returns whether the router would find administration here. It matches nothing that it cannot unescape. */
function isAdministration(path: string): boolean {
  try {
    return /^\/api\/admin(\/|$)/.test(decodeURI(path));
  } catch {
    return false;
  }
}

/**
 * Returns the fault of a request whose target or host a proxy may read differently than this server. The router would accept an absolute URL, with which a
 * rule of a proxy for paths could be bypassed. Clients send these to forward proxies only (RFC 9112 section 3.2.2).
 */
export function headFault({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): Fault | undefined {
  if (!url.startsWith('/') && url !== '*') return new Fault(400, 'the request target must be a path');
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  return hosts > 1 ? new Fault(400, 'the request has more than one Host header') : undefined;
}

/** Returns the part of the URL that the router treats as the path. */
const pathOf = (url: string) => url.split(/[?#]/, 1)[0]!;

/** The methods of each path. Compares paths literally, because Fastify's `hasRoute` would treat a client's path as a pattern. */
export class RouteMethods {
  readonly #methods = new Map<string, Set<string>>();
  #ignoresTrailingSlash = true;

  /** Must be called before routes are added to the server. */
  attach(server: FastifyInstance): void {
    this.#ignoresTrailingSlash = server.initialConfig.routerOptions?.ignoreTrailingSlash ?? false;
    server.addHook('onRoute', ({ method, url }) => {
      const known = this.#methods.get(url) ?? new Set();
      for (const each of [method].flat()) known.add(each);
      this.#methods.set(url, known);
    });
  }

  /** Returns whether the path is that of a route, with any method. */
  has(path: string): boolean {
    return this.#methods.has(this.#routeOf(path));
  }

  /** Returns those of the methods that the path has, in the given order. A trailing slash is ignored if the router ignores it. */
  of(path: string, methods: readonly string[]): string[] {
    const known = this.#methods.get(this.#routeOf(path));
    return methods.filter((method) => known?.has(method));
  }

  #routeOf(path: string): string {
    return this.#ignoresTrailingSlash ? path.replace(/(.)\/$/, '$1') : path;
  }
}
