export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Runs something on several connections in parallel. */
export const inParallel = (connections: number, once: (connection: number) => Promise<unknown>) => () =>
  Promise.all(times(connections).map(once));
