/** Resolves when `work` settles, however it does, and after `milliseconds` at the latest. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, timeout]).catch(() => undefined);
  clearTimeout(timer);
}
