/** Waits until `work` settles, but at most this long. Never rejects: a failure of `work` ends the wait as well. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, over]).catch(() => undefined);
  clearTimeout(timer);
}
