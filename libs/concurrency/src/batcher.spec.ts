import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Batcher, type Call } from './batcher.js';

class Outage extends Error {}

type Calls = readonly Call<string, string>[];

/** A batcher whose round trips end when the test calls `end`; `batches` holds those that have begun. */
function openBatcher(limit = 10) {
  const batches: { items: string[]; calls: Calls; end(error?: unknown, again?: Calls): void }[] = [];
  const batcher = new Batcher<string, string>(
    (calls) =>
      new Promise((resolve, reject) => {
        batches.push({
          items: calls.map(({ item }) => item),
          calls,
          end: (error, again) => (error ? reject(error) : resolve(again)),
        });
      }),
    limit,
    (error) => error instanceof Outage,
  );
  const begun = async (count: number) => {
    await expect.poll(() => batches.length).toBe(count);
  };
  return { batcher, batches, begun };
}

const settleAll = ({ calls }: { calls: Calls }) => calls.forEach(({ item, resolve }) => resolve(`${item}!`));

describe('calls', () => {
  it('of one iteration share a round trip, and later ones share the next', async () => {
    const { batcher, batches, begun } = openBatcher();
    const early = [batcher.submit('a'), batcher.submit('b')];
    await begun(1);
    const late = batcher.submit('c');
    expect(batches[0]!.items).toEqual(['a', 'b']);
    settleAll(batches[0]!);
    batches[0]!.end();
    await begun(2);
    expect(batches[1]!.items).toEqual(['c']);
    settleAll(batches[1]!);
    batches[1]!.end();
    expect(await Promise.all([...early, late])).toEqual(['a!', 'b!', 'c!']);
    await batcher.idle();
  });

  it('beyond the limit wait for the next round trip', async () => {
    const { batcher, batches, begun } = openBatcher(2);
    for (const item of ['a', 'b', 'c']) void batcher.submit(item);
    await begun(1);
    batches[0]!.end();
    await begun(2);
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b'], ['c']]);
  });

  it('of consecutive iterations share a round trip, for at most four further iterations', async () => {
    const { batcher, batches, begun } = openBatcher();
    for (const item of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const nextIteration = setImmediate();
      void batcher.submit(item);
      await nextIteration;
    }
    await begun(1);
    expect(batches[0]!.items).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('of one iteration do not wait for later iterations', async () => {
    const { batcher, batches } = openBatcher();
    void batcher.submit('a');
    await setImmediate();
    expect(batches).toHaveLength(1);
  });

  it('that are sent again go first', async () => {
    const { batcher, batches, begun } = openBatcher();
    for (const item of ['a', 'b']) void batcher.submit(item);
    await begun(1);
    void batcher.submit('c');
    batches[0]!.end(undefined, [batches[0]!.calls[1]!]);
    await begun(2);
    expect(batches[1]!.items).toEqual(['b', 'c']);
  });
});

describe('a round trip that fails', () => {
  it('rejects the calls that it left open and no others', async () => {
    const { batcher, batches, begun } = openBatcher();
    const calls = [batcher.submit('a'), batcher.submit('b')];
    await begun(1);
    const late = batcher.submit('c');
    batches[0]!.calls[0]!.resolve('a!');
    batches[0]!.end(new Error('broken'));
    expect(await calls[0]).toBe('a!');
    await expect(calls[1]).rejects.toThrow('broken');
    await begun(2);
    settleAll(batches[1]!);
    batches[1]!.end();
    expect(await late).toBe('c!');
  });

  it('because of an outage rejects the queued calls too, and later calls are tried', async () => {
    const { batcher, batches, begun } = openBatcher();
    const early = batcher.submit('a');
    await begun(1);
    const waiting = batcher.submit('b');
    batches[0]!.end(new Outage('away'));
    await expect(early).rejects.toThrow('away');
    await expect(waiting).rejects.toThrow('away');
    void batcher.submit('c');
    await begun(2);
    expect(batches[1]!.items).toEqual(['c']);
  });
});
