/**
 * Normalizes a base path. compat: like the original (wire contract 3.1), it turns backslashes into slashes, adds a leading and removes a
 * trailing slash, and resolves `.`, `..` and repeated slashes without leaving `/`. Spaces stay.
 */
export function cleanBasePath(path: string): string {
  const kept: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `/${kept.join('/')}`;
}
