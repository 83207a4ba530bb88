import type { Commit } from '@keyfold/event-store';
import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ModelEventStore } from '../../../event-store/testing/model-event-store.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { ModelParkedAccounts } from '../../testing/model-parked-accounts.js';
import { modelMessagesOf, ModelPublisher, type Fate } from '../../testing/model-publisher.js';
import { UnsendableMessage } from '../publishing.js';
import { MessageOutlet } from './message-outlet.js';
import { SlotRelay } from './slot-relay.js';

const ACCOUNTS = ['a', 'b', 'c', 'd'];

type Step =
  | Readonly<{ kind: 'append'; account: string; events: number }>
  | Readonly<{ kind: 'read' }>
  | Readonly<{ kind: 'retry' }>
  | Readonly<{ kind: 'wait'; milliseconds: number }>
  | Readonly<{ kind: 'breakCommit'; account: string }>
  | Readonly<{ kind: 'mendCommits' }>
  | Readonly<{ kind: 'takeOver' }>
  | Readonly<{ kind: 'iterations'; count: number }>;

const account = fc.constantFrom(...ACCOUNTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), account, events: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.constantFrom(100, 1_000, 30_000) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('breakCommit' as const), account }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mendCommits' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('takeOver' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('iterations' as const), count: fc.integer({ min: 1, max: 12 }) }),
  },
);
const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>('confirmed') },
  { weight: 1, arbitrary: fc.constantFrom<Fate>('refused', 'lost', 'unsent') },
);
const answer = fc.record({ fate, iterations: fc.integer({ min: 0, max: 6 }) });

const iterations = async (count: number) => {
  for (let iteration = 0; iteration < count; iteration++) await setImmediate();
};

/** One slot whose lease passes from process to process. A process that lost it continues with its current page. */
class Slot {
  readonly store = new ModelEventStore();
  readonly parked = new ModelParkedAccounts();
  readonly broker: string[] = [];
  readonly broken = new Set<string>();
  readonly publishers: ModelPublisher[] = [];
  position = 0;
  time = 0;
  #epoch = 0;
  #relay!: SlotRelay;
  readonly #work: Promise<unknown>[] = [];
  #reading: Promise<void> | undefined;

  constructor(private readonly nextAnswer: () => Readonly<{ fate: Fate; iterations: number }>) {
    this.takeOver();
  }

  takeOver(): void {
    const publisher = new ModelPublisher(async () => {
      const { fate: decided, iterations: late } = this.nextAnswer();
      await iterations(late);
      return decided;
    }, this.broker);
    this.publishers.push(publisher);
    this.#epoch += 1;
    this.#reading = undefined;
    const messagesOf = (commit: Commit) => {
      if (this.broken.has(nameOf(commit))) throw new UnsendableMessage('unknown event');
      return modelMessagesOf(commit);
    };
    this.#relay = new SlotRelay(0, this.#epoch, {
      feed: this.store,
      outlet: new MessageOutlet(publisher, messagesOf),
      parked: this.parked,
      onParked: () => undefined,
      clock: () => this.time,
      now: () => this.time,
      pageTimeout: 60_000,
    });
  }

  async append(partition: string, events: number): Promise<void> {
    const version = this.store.commits.filter(({ stream }) => stream === partition).length + 1;
    const stored = Array.from({ length: events }, () => ({ type: 'Renamed', v: 1, data: {} }));
    await this.store.append(newCommit(partition, version, { partition, events: stored }));
  }

  /** Reads a short page, like the feed reader, from the checkpoint of the lease. */
  read(): void {
    this.#reading ??= this.#readPage(this.#relay, this.#epoch);
  }

  retry(): void {
    const [relay, epoch] = [this.#relay, this.#epoch];
    this.#work.push(relay.retryParked(this.position, () => epoch === this.#epoch));
  }

  removeStale(): Promise<void> {
    return this.#relay.removeStale();
  }

  async idle(): Promise<void> {
    await this.#reading;
    await Promise.all(this.#work);
  }

  async #readPage(relay: SlotRelay, epoch: number): Promise<void> {
    const page = await this.store.readFeed(0, this.position, 7);
    const last = page.at(-1);
    if (last && epoch === this.#epoch) {
      const work = relay.handle(page, () => epoch === this.#epoch);
      this.#work.push(work);
      const handled = await work;
      // The lease fences the checkpoint.
      if (epoch === this.#epoch) this.position = Math.max(this.position, handled?.upTo ?? last.position);
    }
    if (epoch === this.#epoch) this.#reading = undefined;
  }
}

const nameOf = ({ stream, version }: Commit) => `${stream}:${version}`;

it('every message arrives, and first arrivals of an account are in order, despite failures, parking and crashes', async () => {
  const script = fc.array(step, { minLength: 5, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(account, { maxLength: 6 }),
      script,
      fc.infiniteStream(answer),
      async (sent, steps, answers) => {
        let healed = false;
        const slot = new Slot(() => (healed ? { fate: 'confirmed', iterations: 0 } : answers.next().value));
        for (const name of sent) await slot.append(name, 1);
        slot.position = sent.length;
        for (const each of steps) {
          if (each.kind === 'append') await slot.append(each.account, each.events);
          if (each.kind === 'read') slot.read();
          if (each.kind === 'retry') slot.retry();
          if (each.kind === 'wait') slot.time += each.milliseconds;
          if (each.kind === 'breakCommit') slot.broken.add(`${each.account}:${versionsOf(slot, each.account) + 1}`);
          if (each.kind === 'mendCommits') slot.broken.clear();
          if (each.kind === 'takeOver') slot.takeOver();
          if (each.kind === 'iterations') await iterations(each.count);
        }
        healed = true;
        slot.broken.clear();
        // Either the last process continues, or a new one takes over from it.
        if (steps.length % 2 === 0) slot.takeOver();
        for (let round = 0; round < 60; round++) {
          slot.time += 30_000;
          slot.read();
          await slot.idle();
          slot.retry();
          await slot.idle();
        }

        await slot.removeStale();
        expect(await slot.parked.all()).toEqual([]);
        expect(slot.position).toBe(slot.store.commits.length);
        for (const name of ACCOUNTS) {
          const own = slot.store.commits.filter(
            ({ partition, position }) => partition === name && position > sent.length,
          );
          const expected = own.flatMap(modelMessagesOf);
          const firstSeen = [...new Set(slot.broker)].filter((id) => id.startsWith(`${name}:`));
          expect(firstSeen).toEqual(expected.map(({ id }) => id));
        }
        expect(slot.publishers.flatMap(({ crowded }) => crowded)).toEqual([]);
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 150) },
  );
});

const versionsOf = (slot: Slot, name: string) => slot.store.commits.filter(({ stream }) => stream === name).length;
