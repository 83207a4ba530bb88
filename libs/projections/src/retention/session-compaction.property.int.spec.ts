import { isCompacted, type Commit } from '@keyfold/event-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { DAY, RELAY, SessionHistory } from '../../testing/session-history.js';
import { rebuildAll, type Backend } from '../../testing/verified.js';
import { projectorName } from '../projecting/projector.js';
import { sessions } from '../read-model.js';

const ACCOUNTS = [1, 2, 3];

/** One step of a story. Some steps let time pass; the others happen at the time reached so far. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('login' as const),
      account: fc.constantFrom(...ACCOUNTS),
      tokenDays: fc.constantFrom(2, 40),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('logout' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('wait' as const), days: fc.constantFrom(1, 91) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('register' as const, 'project' as const, 'relay' as const, 'compact' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('compact and die' as const), after: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** Long histories, because a session needs several steps to become due, and more to be due but delayed. */
const stories = fc.array(step, { minLength: 5, maxLength: 80, size: 'max' });

describe.each([
  ['SQLite', async (): Promise<Backend> => new EmbeddedProjections(), 12],
  ['MongoDB', (): Promise<Backend> => MongoProjections.open(), 5],
] as const)('whatever happened, and whenever it is compacted, on %s', (_, open, numRuns) => {
  it('everything else is unchanged, the feeds have no gaps, and the relay misses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (steps) => new Story(await open()).check(steps)),
      // The limit lets fast-check report a failure, with the shortest story found so far, before the test times out.
      { numRuns, interruptAfterTimeLimit: 60_000 },
    );
  });
});

/** Carries out the steps of a story, and records the events that a relay has received. */
class Story {
  readonly #history: SessionHistory;
  readonly #appended: Commit[] = [];
  readonly #sessions: { id: string; account: number; endedAt: number; loggedOut: boolean }[] = [];
  readonly #sent: Commit[] = [];
  #relayRan = false;
  #accounts = 100;

  constructor(private readonly backend: Backend) {
    this.#history = new SessionHistory(backend);
  }

  async check(steps: readonly Step[]): Promise<void> {
    for (const each of steps) await this.#take(each);
    await this.#history.project();
    await this.#relay();
    await this.#history.compact();
    await this.#expectDense();
    await this.#expectSentOnce();
    await this.#expectOthersAsAppended();
    expect(await this.#history.problems()).toEqual([]);
    const documents = await this.#documents();
    await rebuildAll(this.backend);
    expect(await this.#documents()).toEqual(documents);
    const kept = this.#sessions.filter((session) => !this.#isDue(session));
    expect(documents.map(({ stream }) => stream).toSorted()).toEqual(kept.map(({ id }) => `session-${id}`).toSorted());
  }

  async #take(step: Step): Promise<void> {
    switch (step.does) {
      case 'login': {
        const id = `s${this.#sessions.length}`;
        const commit = await this.#history.logIn(id, step.account, 0, step.tokenDays);
        const endedAt = commit.at + step.tokenDays * DAY;
        this.#sessions.push({ id, account: step.account, endedAt, loggedOut: false });
        return void this.#appended.push(commit);
      }
      case 'logout': {
        const running = this.#sessions.filter(({ endedAt, loggedOut }) => !loggedOut && endedAt > this.#history.now);
        const session = running[step.which % Math.max(1, running.length)];
        if (!session) return;
        session.loggedOut = true;
        return void this.#appended.push(await this.#history.logOut(session.id, session.account, 0));
      }
      case 'register':
        return void this.#appended.push(await this.#history.register(this.#accounts++, 0));
      case 'project':
        return this.#history.project();
      case 'relay':
        return this.#relay();
      case 'compact':
        await this.#history.compact();
        return this.#expectPassed();
      case 'compact and die':
        return this.#compactAndDie(step.after);
      case 'wait':
        this.#history.now += step.days * DAY;
    }
  }

  /** Compacts in a process that dies after removing `after` documents. */
  async #compactAndDie(after: number): Promise<void> {
    const { parts } = this.#history;
    let removed = 0;
    const readModels = new Proxy(parts.readModels, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        if (property === 'remove' && removed++ >= after) return () => Promise.reject(new Error('killed'));
        return member.bind(target) as unknown;
      },
    });
    await this.#history
      .compact({ ...parts, readModels }, 3)
      .catch((error: Error) => expect(error.message).toBe('killed'));
    expect((await this.#history.problems()).filter((problem) => !problem.includes('the projector'))).toEqual([]);
    await this.#expectPassed();
  }

  /** Reads the feed from its checkpoint like the relay, sends the commits with events, and stops. */
  async #relay(): Promise<void> {
    const { store, leases } = this.backend;
    this.#relayRan = true;
    const heads = await store.readHeads();
    const taken = await leases.take(RELAY, 'relay', [...heads.keys()], 60_000);
    for (const lease of taken) {
      if (lease.position === heads.get(lease.slot)) continue;
      const page = await store.readFeed(lease.slot, lease.position, 1_000);
      this.#sent.push(...page.filter(({ events }) => events.length > 0));
      const last = page.at(-1);
      if (last) await leases.advance(lease, last.position);
    }
    await leases.release(taken);
  }

  /** Returns the feeds of the slots that have commits. */
  async #feeds(): Promise<{ slot: number; head: number; feed: Commit[] }[]> {
    const heads = [...(await this.backend.store.readHeads())].filter(([, head]) => head > 0);
    return Promise.all(
      heads.map(async ([slot, head]) => ({ slot, head, feed: await this.backend.store.readFeed(slot, 0, 1_000) })),
    );
  }

  async #expectDense(): Promise<void> {
    for (const { head, feed } of await this.#feeds()) {
      expect(feed.map(({ position }) => position)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    }
  }

  /** Every compacted commit was read by the projector, and by the relay if it has run. */
  async #expectPassed(): Promise<void> {
    const readers = [projectorName, ...(this.#relayRan ? [RELAY] : [])];
    const progress = await Promise.all(readers.map((reader) => this.backend.leases.progress(reader)));
    for (const { slot, feed } of await this.#feeds()) {
      const last = feed.findLast(isCompacted)?.position ?? 0;
      for (const slots of progress) {
        expect(slots.find((each) => each.slot === slot)?.position ?? 0).toBeGreaterThanOrEqual(last);
      }
    }
  }

  /** The relay received every commit once and unchanged, except those compacted before it first ran. */
  async #expectSentOnce(): Promise<void> {
    const relayed = new Set(this.#sent.map(({ command }) => command.id));
    expect(relayed.size).toBe(this.#sent.length);
    const before = new Map(this.#appended.map((commit) => [commit.command.id, commit]));
    for (const commit of this.#sent) expect(commit).toEqual(before.get(commit.command.id));
    const missed = this.#appended.filter(({ command }) => !relayed.has(command.id));
    const left = await Promise.all(missed.map(({ command }) => this.backend.store.findCommand(command.id)));
    expect(left.filter((commit) => commit === undefined || !isCompacted(commit))).toEqual([]);
  }

  async #expectOthersAsAppended(): Promise<void> {
    const gone = new Set<string>();
    for (const { stream } of this.#appended) {
      const found = await this.backend.store.readStreams([{ stream, version: 0 }]);
      if (found.length === 0) gone.add(stream);
      else expect(found).toEqual(this.#appended.filter((commit) => commit.stream === stream));
    }
    const due = this.#sessions.filter((session) => this.#isDue(session));
    expect([...gone].toSorted()).toEqual(due.map(({ id }) => `${sessions.aggregate.streamPrefix}${id}`).toSorted());
  }

  #isDue({ endedAt }: { endedAt: number }): boolean {
    return endedAt <= this.#history.now - 90 * DAY;
  }

  async #documents() {
    return this.backend.readModels.documents(sessions, '', 1_000);
  }
}
