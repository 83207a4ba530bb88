import fc from 'fast-check';
import { slotOf } from '../../libs/event-store/src/mongo/commit.model.js';

const SHARED_SLOTS = [0, 0, 1, 1];
/** Four partitions, two in each of two slots. */
export const PARTITIONS = SHARED_SLOTS.map((slot, index) => partitionIn(slot, index));

/** The work of one writer: load, decide and append to a stream, `appends` times. */
export type WriterPlan = Readonly<{ process: number; stream: number; appends: number; hold: number | undefined }>;

/** A fault, injected after `after` acknowledged commits. */
export type Fault = Readonly<{ after: number; kind: 'step-down' | 'kill' | 'cut' }>;

export type Schedule = Readonly<{ writers: readonly WriterPlan[]; faults: readonly Fault[]; seed: number }>;

export const PROCESSES = 3;

const writer = fc.record({
  process: fc.nat({ max: PROCESSES - 1 }),
  stream: fc.nat({ max: 5 }),
  appends: fc.integer({ min: 5, max: 30 }),
  // A name that every writer wants and only one gets.
  hold: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 3 }),
});

const fault = fc.record({
  after: fc.nat({ max: 120 }),
  kind: fc.constantFrom<Fault['kind']>('step-down', 'step-down', 'cut', 'cut', 'kill'),
});

/** Few streams and slots and many writers, so that conflicts are frequent. */
export const schedule: fc.Arbitrary<Schedule> = fc.record({
  writers: fc.array(writer, { minLength: 8, maxLength: 24 }),
  faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
  seed: fc.integer(),
});

export const partitionOf = (stream: number) => PARTITIONS[stream % PARTITIONS.length]!;

function partitionIn(slot: number, index: number): string {
  for (let number = index; ; number += SHARED_SLOTS.length) {
    if (slotOf(String(number)) === slot) return String(number);
  }
}
