// Waits for processes that share the slots of the feed.
import { setTimeout as pause } from 'node:timers/promises';
import { eventStore, SLOTS } from './built.mjs';

const POLL_MS = 100;
const LONGEST_WAIT_MS = 120_000;

/** Waits until a reader has passed this number of commits. */
export async function untilRead(connection, reader, commits) {
  await untilProgress(connection, reader, (slots) => slots.reduce((sum, { position }) => sum + position, 0) >= commits);
}

/** Waits until processes share all slots evenly. */
export async function untilShared(connection, reader, processes) {
  await untilProgress(connection, reader, (slots) => {
    const shares = [...Map.groupBy(slots, ({ owner }) => owner)].map(([owner, { length }]) => owner && length);
    return shares.length === processes && shares.every((share) => share === SLOTS / processes);
  });
}

async function untilProgress(connection, reader, isReached) {
  const leases = new eventStore.MongoFeedLeases(connection);
  await untilDone(async () => isReached(await leases.progress(reader)), `the reader ${reader}`);
}

/** Waits until `isDone` returns true. Throws an error that names `subject` after 120 s. */
export async function untilDone(isDone, subject) {
  const start = performance.now();
  while (!(await isDone())) {
    if (performance.now() - start > LONGEST_WAIT_MS)
      throw new Error(`${subject} is not done after ${LONGEST_WAIT_MS} ms`);
    await pause(POLL_MS);
  }
}
