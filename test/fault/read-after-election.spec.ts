import { isRetryable, StoreUnavailable, WrongExpectedVersion, type EventStore } from '@keyfold/event-store';
import { expect, it, onTestFinished } from 'vitest';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { openEventStore } from '../support/mongo/open-event-store.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { timesLength } from '../support/test-length.js';

const STEP_DOWNS = timesLength(3);
/** The minimum of reads between two changes of the primary: reads continue until it has changed. */
const READS = 300;
const LAST_COMMITS = 20;

it('a read from a new primary sees everything that was acknowledged before', async () => {
  const set = await ReplicaSet.start(3);
  onTestFinished(() => set.stop());
  const [writer, reader] = [await openEventStore(set.uri('reads')), await openEventStore(set.uri('reads'))];
  const writing = new Writing(writer, 'account-1');
  const stale: string[] = [];
  let reads = 0;
  for (let change = 0; change <= STEP_DOWNS; change++) {
    let isChanging = change > 0;
    const changing = isChanging ? set.stepDown().finally(() => (isChanging = false)) : undefined;
    for (let read = 0; isChanging || read < READS; read++) {
      const acknowledged = writing.version;
      // Stale reads end too early, so reading the last commits is enough.
      const before = Math.max(0, acknowledged - LAST_COMMITS);
      const commits = await reader.readStreams([{ stream: 'account-1', version: before }]).catch(unlessUnavailable);
      if (!commits) continue;
      reads += 1;
      const seen = before + commits.length;
      if (seen < acknowledged) stale.push(`change ${change}: ${seen} of ${acknowledged} commits`);
    }
    await changing;
    await set.primary();
  }
  await writing.stop();
  expect(stale).toEqual([]);
  expect(reads).toBeGreaterThan(READS);
  expect(writing.version).toBeGreaterThan(STEP_DOWNS);
});

/** Appends to one stream until stopped; `version` is the last acknowledged one. */
class Writing {
  version = 0;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(store: EventStore, stream: string) {
    this.#running = this.#run(store, stream);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(store: EventStore, stream: string): Promise<void> {
    let next = 1;
    while (!this.#stopped) {
      try {
        await store.append(newCommit(stream, next));
        this.version = next;
        next += 1;
      } catch (error) {
        // An unanswered append may be stored; then continue with the next version.
        if (error instanceof WrongExpectedVersion) next += 1;
        else if (!isRetryable(error)) throw error;
      }
    }
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
  return undefined;
}
