/**
 * compat: the original cleans every base path (wire contract 3.1): backslashes are slashes, one slash before, none behind,
 * `.`, `..` and doubled slashes are resolved without climbing above `/`. Spaces stay.
 */
export function cleanBasePath(path: string): string {
  const kept: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `/${kept.join('/')}`;
}
