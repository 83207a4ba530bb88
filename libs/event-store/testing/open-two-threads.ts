import { eventStoreSchema, SqliteCounter, SqliteEventStore } from '../src/sqlite/sqlite-event-store.js';
import { SqliteIntake } from '../src/sqlite/sqlite-intake.js';
import { SqliteFile } from '../src/sqlite/sqlite-file.js';
import type { OpenStore } from './contract/contract-case.js';
import { OtherThread } from './other-thread.js';

const ADAPTERS = new URL('../src/sqlite/sqlite-event-store.ts', import.meta.url);

/** Opens the event store in the file `path` in two threads, which take turns. */
export function openInTwoThreads(path: string): OpenStore {
  const file = new SqliteFile(path, eventStoreSchema);
  const other = new OtherThread(file, ADAPTERS);
  const close = async () => {
    await other.close();
    await file.close();
  };
  return {
    store: other.alternating(new SqliteEventStore(file), [
      'append',
      'readStreams',
      'findCommands',
      'findHolds',
      'findLastHold',
    ]),
    counter: other.alternating(new SqliteCounter(file), ['take', 'read']),
    intake: new SqliteIntake(file),
    close,
    reopen: async () => {
      await close();
      return openInTwoThreads(path);
    },
  };
}
