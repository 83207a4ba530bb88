/**
 * Returns why something failed, never an empty text: the message of the error, then those of its `cause` and `errors` that add to it. A
 * host with several addresses that all refuse is an `AggregateError` without a message, and `fetch` names no reason but its cause.
 */
export function reasonOf(error: unknown): string {
  const [first = 'unknown error', ...others] = distinct(textsOf(error, new Set()));
  const explained = error instanceof Error && error.message.trim() !== '';
  return others.length === 0 ? first : `${first}${explained ? ': ' : '; '}${others.join('; ')}`;
}

/** An error before what caused it. One without a message and without a cause is known by its code, else by its name. */
function textsOf(error: unknown, seen: Set<unknown>): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  if (seen.has(error)) return [];
  seen.add(error);
  const { code, errors, cause } = error as Readonly<{ code?: unknown; errors?: unknown; cause?: unknown }>;
  const causes: unknown[] = [...(Array.isArray(errors) ? errors : []), cause];
  // Other objects are data: that of mongoose describes the servers.
  const behind = causes.filter((each) => each instanceof Error || typeof each === 'string');
  const texts = [error.message.trim(), ...behind.flatMap((each) => textsOf(each, seen))];
  if (texts.some((text) => text !== '')) return texts;
  return [typeof code === 'string' ? code : error.name];
}

/** Without empty texts and those that an earlier one repeats: most errors end with the message of their cause. */
function distinct(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const text of texts) if (text !== '' && !kept.some((earlier) => earlier.includes(text))) kept.push(text);
  return kept;
}
