import { afterAll, beforeAll, describe, it } from 'vitest';
import { appendCountCases } from './contract/append-counts.contract.js';
import { appendCases } from './contract/append.contract.js';
import { commandCases } from './contract/command.contract.js';
import { compactionCases } from './contract/compaction.contract.js';
import type { ContractCase, OpenStore } from './contract/contract-case.js';
import { counterCases } from './contract/counter.contract.js';
import { feedCases } from './contract/feed.contract.js';
import { followingCases } from './contract/following.contract.js';
import { historyCases } from './contract/history.contract.js';
import { holdCases, lastHoldCases } from './contract/hold.contract.js';
import { intakeCases } from './contract/intake.contract.js';
import { readingCases } from './contract/reading.contract.js';
import { reopeningCases } from './contract/reopening.contract.js';

export type { OpenStore } from './contract/contract-case.js';

/** A case that takes longer is stuck, in milliseconds. */
const CASE_TIMEOUT = 30_000;

/** All guarantees of the ports. An adapter must pass every one; none can be left out. */
const eventStoreCases: readonly ContractCase[] = [
  ...appendCases,
  ...appendCountCases,
  ...commandCases,
  ...holdCases,
  ...lastHoldCases,
  ...readingCases,
  ...feedCases,
  ...historyCases,
  ...followingCases,
  ...compactionCases,
  ...counterCases,
  ...intakeCases,
  ...reopeningCases,
];

/** Cases that several threads can break: versions that one of them knows, concurrent commits, and numbers that all take. */
export const casesForThreads: readonly ContractCase[] = [
  ...appendCases,
  ...commandCases,
  ...holdCases,
  ...readingCases,
  ...counterCases,
];

/** Runs the contract against an adapter. `open` is called once, for all cases. */
export function describeEventStore(name: string, open: () => Promise<OpenStore>, cases = eventStoreCases): void {
  describe(`${name} keeps the contract of an event store`, () => {
    let opened: OpenStore;
    let current: OpenStore;
    beforeAll(async () => {
      opened = current = await open();
    });
    afterAll(() => opened.close());

    for (const { title, run } of cases) {
      const reopen = async () => (current = await opened.reopen());
      it(title, () => run({ ...current, reopen }), CASE_TIMEOUT);
    }
  });
}
