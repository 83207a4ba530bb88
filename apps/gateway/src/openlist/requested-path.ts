import { Fault } from '@keyfold/http-envelope';

/** The parts of a request target. Each byte of `path`, which is unescaped once as OpenList's router does, is one character. */
export type RequestedPath = Readonly<{ path: string; query: string }>;

/**
 * Reads the target of a request that may be forwarded.
 *
 * @throws Fault 400 for a target that a proxy or OpenList could read in another way.
 */
export function requestedPath(url: string): RequestedPath {
  if (!/^\/[^\0- #\\\x7f]*$/.test(url)) throw unreadable();
  const end = url.indexOf('?');
  const raw = end < 0 ? url : url.slice(0, end);
  const path = raw.includes('%') ? unescaped(raw) : raw;
  if (DOT_SEGMENT.test(path)) throw unreadable();
  return { path, query: end < 0 ? '' : url.slice(end + 1) };
}

const unreadable = () => new Fault(400, 'the address cannot be read');

const DOT_SEGMENT = /(^|[/\\])\.{1,2}([/\\]|$)/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

function unescaped(path: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) throw unreadable();
  return unescapedOnce(path);
}

const unescapedOnce = (text: string) =>
  text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Returns the path as a careless reader would take it: without repeated slashes, in small letters, and unescaped once more. */
export const carelesslyRead = (path: string): string =>
  PLAIN.test(path) ? path : (path.includes('%') ? unescapedOnce(path) : path).replace(/[/\\]+/g, '/').toLowerCase();

/** The most paths by far, which every reader takes alike. */
const PLAIN = /^(\/[a-z0-9_.-]+)+\/?$/;
