import { expect } from 'vitest';
import { StoreInspection } from '../support/scaled-check.js';

/** Checks that the feed and the streams have no gap and that the read models match all events. */
export async function expectWholeStore(uri: string, minimumStreams = 1): Promise<void> {
  const inspection = await StoreInspection.open(uri);
  try {
    const found = await inspection.verify();
    expect(found).toMatchObject({ problems: [], behind: 0 });
    expect(found.streams).toBeGreaterThanOrEqual(minimumStreams);
  } finally {
    await inspection.close();
  }
}
