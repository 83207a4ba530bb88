import { executionAsyncResource } from 'node:async_hooks';

/**
 * Node 24 makes an object for each `process.nextTick`. Once a garbage collection finds none of them alive, V8 forgets their shape and
 * makes every later one ten times slower (docs/decisions/0019). One that is kept for the life of the process prevents that.
 */
let kept: object | undefined;

export function keepNextTickQuick(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
