/** The longest name in a request and, percent-encoded, in an answer: web servers have buffers of 4 KiB for all headers of one. */
const NAME_LETTERS = 2_048;

/**
 * Reads Basic authentication (RFC 7617) in UTF-8. The first colon ends the name. Returns undefined for every other text, and for a name that is
 * empty or too long.
 */
export function basicCredentialsOf(
  header: string | undefined,
): Readonly<{ username: string; password: string }> | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = utf8Of(Buffer.from(encoded, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 1) return undefined;
  const username = text.slice(0, colon);
  if (encodeURIComponent(username).length > NAME_LETTERS) return undefined;
  return { username, password: text.slice(colon + 1) };
}

function utf8Of(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
