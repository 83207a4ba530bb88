import { onTestFinished } from 'vitest';

type Cleanup = () => Promise<void>;
const atEnd: Cleanup[] = [];

/** Calls `cleanup` after the running test, or after the file if called outside of a test (`beforeAll`). */
export function afterwards(cleanup: Cleanup): void {
  try {
    onTestFinished(cleanup);
  } catch {
    // Vitest rejects onTestFinished outside of a test.
    afterFile(cleanup);
  }
}

/** Calls `cleanup` after the last test of the file. An `afterAll` of a module would only belong to the first file that imports it. */
export function afterFile(cleanup: Cleanup): void {
  atEnd.push(cleanup);
}

/** Calls what `afterFile` collected, the last one first. */
export async function endFile(): Promise<void> {
  for (const cleanup of atEnd.splice(0).toReversed()) await cleanup();
}
