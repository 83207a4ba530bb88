import type { FastifyInstance } from 'fastify';

/** Which methods each path has. What a client asks for is compared as a text: Fastify's `hasRoute` would read it as a pattern. */
export class RouteMethods {
  readonly #methods = new Map<string, Set<string>>();

  /** To be called before the server has routes. */
  attach(server: FastifyInstance): void {
    server.addHook('onRoute', ({ method, url }) => {
      const known = this.#methods.get(url) ?? new Set();
      for (const each of [method].flat()) known.add(each);
      this.#methods.set(url, known);
    });
  }

  /** The methods among `asked` that a path has, in their order; a slash at its end does not count. */
  of(path: string, asked: readonly string[]): string[] {
    const known = this.#methods.get(path.replace(/(.)\/$/, '$1'));
    return asked.filter((method) => known?.has(method));
  }
}
