import type { FastifyInstance } from 'fastify';

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

  /** Returns those of the methods that the path has, in the given order. A trailing slash is ignored if the router ignores it. */
  of(path: string, methods: readonly string[]): string[] {
    const known = this.#methods.get(this.#ignoresTrailingSlash ? path.replace(/(.)\/$/, '$1') : path);
    return methods.filter((method) => known?.has(method));
  }
}
