import { vi } from 'vitest';

/** Retries an assertion until it holds. Rejects with its last error if it does not hold within 30 seconds. */
export const eventually = <Result>(assertion: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 20 });
