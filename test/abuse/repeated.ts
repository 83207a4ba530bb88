export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Does something on so many connections at a time. */
export const sideBySide = (connections: number, once: (connection: number) => Promise<unknown>) => () =>
  Promise.all(times(connections).map(once));
