/** compat: the original looks for its routes with the unescaped path, in which an escaped slash is one like any other (wire contract 1.2). */
export function withPlainSlashes(url: string): string {
  // Nearly no address has an escape.
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  return path.replace(/%2f/gi, '/') + url.slice(path.length);
}

/** Whether a path that the router cannot unescape is well-formed all the same: its bytes are then no UTF-8, and no route has such a name. */
export const isReadablePath = (url: string): boolean => url.startsWith('/') && !BROKEN_ESCAPE.test(pathOf(url));

const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

const pathOf = (url: string) => url.split('?', 1)[0]!;
