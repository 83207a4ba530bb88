/** What is a secret by its form alone: a password in an address, a token, the static token, a hash of a password. */
const FORMS: readonly (readonly [form: RegExp, mask: string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>/]*@/gi, '$1***@'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '***'],
  [/\bopenlist-[0-9a-f]{8}-[\w-]{8,}/g, '***'],
  [/\$argon2[a-z]{1,2}\$[^\s"'\\]+/g, '***'],
];

/** A line of the log without what must not be in one, whoever wrote it there: a library puts an address into its error, for instance. */
export const masked = (line: string): string => FORMS.reduce((text, [form, mask]) => text.replace(form, mask), line);
