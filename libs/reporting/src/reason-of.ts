/**
 * Describes an error; the result is never empty. It consists of the message and of those messages of `cause` and `errors` that add to
 * it, or of those of both errors if a disposal failed, too. Node needs this: it throws an `AggregateError` without a message if all
 * addresses of a host refuse, and `fetch` hides the reason in `cause`.
 */
export function reasonOf(error: unknown): string {
  const [first = 'unknown error', ...others] = distinct(textsOf(error, new Set()));
  const explained = error instanceof Error && error.message.trim() === first;
  return others.length === 0 ? first : `${first}${explained ? ': ' : '; '}${others.join('; ')}`;
}

/** Collects messages, an error's own before those of its causes. Falls back to the code, then to the name. */
function textsOf(error: unknown, seen: Set<unknown>): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  if (seen.has(error)) return [];
  seen.add(error);
  if (error instanceof SuppressedError) return [error.suppressed, error.error].flatMap((each) => textsOf(each, seen));
  const { code, errors, cause } = error as Readonly<{ code?: unknown; errors?: unknown; cause?: unknown }>;
  const causes: unknown[] = [...(Array.isArray(errors) ? errors : []), cause];
  // Other objects are data: mongoose puts a description of the servers there.
  const behind = causes.filter((each) => each instanceof Error || typeof each === 'string');
  const texts = [error.message.trim(), ...behind.flatMap((each) => textsOf(each, seen))];
  if (texts.some((text) => text !== '')) return texts;
  return [typeof code === 'string' ? code : error.name];
}

/** Returns the error of the work itself if a disposal after it failed, too, and otherwise the error. */
export const firstErrorOf = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstErrorOf(error.suppressed) : error;

/** Drops empty texts and those contained in an earlier one: most errors repeat the message of their cause. */
function distinct(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const text of texts) if (text !== '' && !kept.some((earlier) => earlier.includes(text))) kept.push(text);
  return kept;
}
