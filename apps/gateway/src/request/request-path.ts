/**
 * The address that the router is given. compat: the original looks for its routes with the unescaped path, in which an escaped slash is
 * one like any other (wire contract 1.2). Administration is the exception: an escape in its path is one more letter, and no route has
 * such a name. So a proxy in front that blocks `/api/admin` cannot be passed by another spelling (docs/decisions/0053).
 */
export function routedPath(url: string): string {
  // Nearly no address has an escape.
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  const plain = path.replace(/%2f/gi, '/');
  const routed = isAdministration(plain) ? path.replaceAll('%', '%25') : plain;
  return routed + url.slice(path.length);
}

/** Whether a path that the router cannot unescape is well-formed all the same: its bytes are then no UTF-8, and no route has such a name. */
export const isReadablePath = (url: string): boolean => url.startsWith('/') && !BROKEN_ESCAPE.test(pathOf(url));

const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** As the router reads it, which takes whole addresses (`http://host/path`) too. It finds no route for what it cannot unescape. */
function isAdministration(path: string): boolean {
  try {
    return /^\/api\/admin(\/|$)/.test(decodeURI(path.replace(/^https?:\/\/[^/]*\//i, '/')));
  } catch {
    return false;
  }
}

/** Up to where the router ends it. */
const pathOf = (url: string) => url.split(/[?#]/, 1)[0]!;
