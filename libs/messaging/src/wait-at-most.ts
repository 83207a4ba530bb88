/** Waits for something that may never come, or may fail because the other side is gone. Milliseconds. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, over]).catch(() => undefined);
  clearTimeout(timer);
}
