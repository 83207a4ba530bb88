import { executionAsyncResource } from 'node:async_hooks';

/**
 * Node 24 creates an object for each `process.nextTick`. Once a garbage collection finds none alive, V8 forgets their shape and creates
 * every later one ten times slower (docs/decisions/0019). Keeping one alive prevents that.
 */
let kept: object | undefined;

/** Prevents `process.nextTick` from becoming slow. */
export function keepNextTickQuick(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
