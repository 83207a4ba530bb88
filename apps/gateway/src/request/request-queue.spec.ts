import { Fault } from '@keyfold/http-envelope';
import { expect, it } from 'vitest';
import { RequestQueue } from './request-queue.js';

/** Returns a queue with the names of its running requests, and a function that ends one of them. */
function observed(concurrency?: number) {
  const queue = new RequestQueue('pages', concurrency);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (key: string, name: string) =>
    queue.run(key, async () => {
      running.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      running.splice(running.indexOf(name), 1);
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise(setImmediate);
  };
  return { ask, end, running };
}

it('requests of a key run one after the other, and those of two keys in parallel', async () => {
  const { ask, end, running } = observed(2);
  const answers = [ask('1', '1a'), ask('1', '1b'), ask('2', '2a'), ask('3', '3a')];
  await new Promise(setImmediate);
  expect(running).toEqual(['1a', '2a']);
  await end('1a');
  expect(running).toEqual(['2a', '3a']);
  for (const name of ['2a', '3a', '1b']) await end(name);
  expect(await Promise.all(answers)).toEqual(['1a', '1b', '2a', '3a']);
});

it('the eighteenth request of a key gets 503, and the first one of another key waits', async () => {
  const { ask, end } = observed();
  const names = Array.from({ length: 17 }, (_, index) => `a${index}`);
  const answers = names.map((name) => ask('a', name));
  await expect(ask('a', 'refused')).rejects.toEqual(
    new Fault(503, 'too many pages are waiting', { retryAfterSeconds: 1 }),
  );
  const other = ask('b', 'b');
  await new Promise(setImmediate);
  await end('a0');
  await end('b');
  expect(await other).toBe('b');
  for (const name of names.slice(1)) await end(name);
  expect(await Promise.all(answers)).toEqual(names);
});
