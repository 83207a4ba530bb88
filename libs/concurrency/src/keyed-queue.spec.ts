import { describe, expect, it } from 'vitest';
import { KeyedQueue } from './keyed-queue.js';

/** Creates tasks that end when the test says so, and lists those that have started. */
function tasks() {
  const begun: string[] = [];
  const task = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const run = () => {
      begun.push(name);
      return promise;
    };
    return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
  };
  return { begun, task };
}

describe('a keyed queue', () => {
  it('runs tasks with one key one at a time, in order', async () => {
    const { begun, task } = tasks();
    const [first, second, third] = [task('first'), task('second'), task('third')];
    const queue = new KeyedQueue();
    const results = [first, second, third].map(({ run }) => queue.run('key', run));
    expect(begun).toEqual(['first']);
    third.end();
    second.end();
    first.end();
    expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('runs tasks with different keys in parallel', () => {
    const { begun, task } = tasks();
    const queue = new KeyedQueue();
    void queue.run('one', task('first').run);
    void queue.run('other', task('second').run);
    expect(begun).toEqual(['first', 'second']);
  });

  it('continues after a failed task and rejects only its caller', async () => {
    const { task } = tasks();
    const [first, second] = [task('first'), task('second')];
    const queue = new KeyedQueue();
    const results = [first, second].map(({ run }) => queue.run('key', run));
    first.fail();
    second.end();
    await expect(results[0]).rejects.toThrow('first');
    expect(await results[1]).toBe('second');
  });

  it('counts the running and waiting tasks of a key, and forgets finished keys', async () => {
    const { task } = tasks();
    const [first, second] = [task('first'), task('second')];
    const queue = new KeyedQueue();
    const results = [first, second].map(({ run }) => queue.run('key', run));
    expect([queue.size('key'), queue.size('other')]).toEqual([2, 0]);
    first.end();
    await results[0];
    expect(queue.size('key')).toBe(1);
    second.end();
    await results[1];
    expect(queue.size('key')).toBe(0);
  });
});

describe('a keyed queue with concurrency', () => {
  it('runs that many tasks with one key at a time', async () => {
    const { begun, task } = tasks();
    const [first, second, third] = [task('first'), task('second'), task('third')];
    const queue = new KeyedQueue(2);
    const results = [first, second, third].map(({ run }) => queue.run('key', run));
    expect(begun).toEqual(['first', 'second']);
    second.end();
    await results[1];
    expect([begun.at(-1), queue.size('key')]).toEqual(['third', 2]);
    first.end();
    third.end();
    await Promise.all(results);
    expect(queue.size('key')).toBe(0);
  });
});
