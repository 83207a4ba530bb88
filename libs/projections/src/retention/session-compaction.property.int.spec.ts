import { isCompacted, type Commit } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { NOW, SessionHistory, type Shelf } from '../../testing/session-history.js';
import { Rebuild } from '../rebuild.js';
import { readModels as allModels, sessions } from '../read-model.js';

const ACCOUNTS = [1, 2, 3];

/** What happens, in order. Days count back from the end of the history, and only fall. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('login' as const),
      account: fc.constantFrom(...ACCOUNTS),
      tokenDays: fc.constantFrom(1, 2, 40),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('logout' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('register' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('project' as const, 'relay' as const, 'compact' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('compact and die' as const), after: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const stories = fc.array(step, { minLength: 5, maxLength: 40 });

describe.each([
  ['SQLite', async (): Promise<Shelf> => new EmbeddedProjections(), 12],
  ['MongoDB', (): Promise<Shelf> => MongoProjections.open(), 5],
] as const)('whatever happened, and whenever it is compacted, on %s', (_, open, numRuns) => {
  it('everything else stays as it was, the feeds stay dense, and the relay misses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (steps) => new Story(await open()).check(steps)),
      { numRuns, interruptAfterTimeLimit: 60_000 },
    );
  }, 120_000);
});

/** A history that is told step by step, and what a relay has got of it. */
class Story {
  readonly #history: SessionHistory;
  readonly #appended: Commit[] = [];
  readonly #sessions: { id: string; account: number; endedAt: number; loggedOut: boolean }[] = [];
  readonly #sent: Commit[] = [];
  #daysAgo = 200;
  #accounts = 100;

  constructor(private readonly shelf: Shelf) {
    this.#history = new SessionHistory(shelf);
  }

  async check(steps: readonly Step[]): Promise<void> {
    for (const each of steps) {
      await this.#take(each);
      this.#daysAgo -= 200 / (steps.length + 1);
    }
    await this.#history.project();
    await this.#relay();
    await this.#history.compact();
    await this.#expectDense();
    this.#expectSentOnce();
    await this.#expectOthersAsAppended();
    expect(await this.#history.problems()).toEqual([]);
    const documents = await this.#documents();
    const rebuild = new Rebuild(this.shelf.store, this.shelf.readModels, allModels, () => NOW);
    await rebuild.run(async (problem) => expect.fail(problem), new AbortController().signal);
    expect(await this.#documents()).toEqual(documents);
    const kept = this.#sessions.filter(({ endedAt }) => endedAt > NOW - 90 * 86_400_000);
    expect(documents.map(({ stream }) => stream).toSorted()).toEqual(kept.map(({ id }) => `session-${id}`).toSorted());
  }

  async #take(step: Step): Promise<void> {
    switch (step.does) {
      case 'login': {
        const id = `s${this.#sessions.length}`;
        const commit = await this.#history.logIn(id, step.account, this.#daysAgo, step.tokenDays);
        const endedAt = commit.at + step.tokenDays * 86_400_000;
        this.#sessions.push({ id, account: step.account, endedAt, loggedOut: false });
        return void this.#appended.push(commit);
      }
      case 'logout': {
        const nowAgo = NOW - this.#daysAgo * 86_400_000;
        const running = this.#sessions.filter(({ endedAt, loggedOut }) => !loggedOut && endedAt > nowAgo);
        const session = running[step.which % Math.max(1, running.length)];
        if (!session) return;
        session.loggedOut = true;
        return void this.#appended.push(await this.#history.logOut(session.id, session.account, this.#daysAgo));
      }
      case 'register':
        return void this.#appended.push(await this.#history.register(this.#accounts++, this.#daysAgo));
      case 'project':
        return this.#history.project();
      case 'relay':
        return this.#relay();
      case 'compact':
        return void (await this.#history.compact());
      case 'compact and die':
        return this.#compactAndDie(step.after);
    }
  }

  /** The process ends after so many documents were removed. */
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
  }

  /** Reads on behind its checkpoint, as the relay does, and sends what has events. */
  async #relay(): Promise<void> {
    const { store, leases } = this.shelf;
    const slots = [...(await store.readHeads())];
    const taken = await leases.take(
      'relay',
      'relay',
      slots.map(([slot]) => slot),
      60_000,
    );
    for (const lease of taken) {
      const page = await store.readFeed(lease.slot, lease.position, 1_000);
      this.#sent.push(...page.filter(({ events }) => events.length > 0));
      const last = page.at(-1);
      if (last) await leases.advance(lease, last.position);
    }
  }

  async #expectDense(): Promise<void> {
    for (const [slot, head] of await this.shelf.store.readHeads()) {
      const feed = await this.shelf.store.readFeed(slot, 0, 1_000);
      expect(feed.map(({ position }) => position)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    }
  }

  /** Everything that was appended while there was a relay, in its order and as it was. */
  #expectSentOnce(): void {
    const relayed = this.#sent.map(({ command }) => command.id);
    expect(new Set(relayed).size).toBe(relayed.length);
    const before = new Map(this.#appended.map((commit) => [commit.command.id, commit]));
    for (const commit of this.#sent) expect(commit).toEqual(before.get(commit.command.id));
    this.#missed.push(...this.#appended.filter(({ command }) => !relayed.includes(command.id)));
  }

  /** Commits that a relay never saw, which may only be those that were compacted before it first ran. */
  readonly #missed: Commit[] = [];

  async #expectOthersAsAppended(): Promise<void> {
    const gone = new Set<string>();
    for (const { stream } of this.#appended) {
      const found = await this.shelf.store.readStreams([{ stream, version: 0 }]);
      if (found.length === 0) gone.add(stream);
      else expect(found).toEqual(this.#appended.filter((commit) => commit.stream === stream));
    }
    const due = this.#sessions.filter(({ endedAt }) => endedAt <= NOW - 90 * 86_400_000);
    expect([...gone].toSorted()).toEqual(due.map(({ id }) => `${sessions.streamPrefix}${id}`).toSorted());
    const left = await Promise.all(this.#missed.map(({ command }) => this.shelf.store.findCommand(command.id)));
    expect(left.every((commit) => commit !== undefined && isCompacted(commit))).toBe(true);
  }

  async #documents() {
    return this.shelf.readModels.documents(sessions, '', 1_000);
  }
}
