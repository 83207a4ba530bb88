/**
 * Secrets of a known form: a password in a URL, a session's token, the static token, an access token, an app password, a password hash.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>/]*@/gi, '$1***@'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '***'],
  [/\bopenlist-[0-9a-f]{8}-[\w-]{8,}/g, '***'],
  [/\bkf_[0-9A-Za-z]{42}/g, '***'],
  [/(?<![\w-])(?:[0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}(?![\w-])/gi, '***'],
  [/\$argon2[a-z]{1,2}\$[^\s"'\\]+/g, '***'],
];

/** Masks secrets in a log line. Libraries may write them there: a driver, for example, repeats a URL in its error. */
export const maskSecrets = (line: string): string =>
  PATTERNS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), line);
