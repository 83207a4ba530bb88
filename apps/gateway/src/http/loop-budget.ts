/** Milliseconds that tasks may take in one iteration of the event loop. The next tasks wait for a later iteration. */
export const BUDGET = 5;

/** An iteration of the event loop. `startedAt` is in milliseconds of `performance.now()`. */
type Iteration = Readonly<{ startedAt: number }>;

let iteration: Iteration | undefined;
let deferred = 0;

/** Returns the current iteration of the event loop: the same object until the iteration ends. */
export function currentIteration(): Iteration {
  if (!iteration) {
    iteration = { startedAt: performance.now() };
    setImmediate(() => (iteration = undefined));
  }
  return iteration;
}

/** Returns whether the budget of the current iteration is spent. */
export const isBudgetSpent = (): boolean => performance.now() - currentIteration().startedAt >= BUDGET;

/** Returns whether a new task can run now: the current iteration has budget left and no deferred task is waiting. */
export const canRunNow = (): boolean => deferred === 0 && !isBudgetSpent();

/** Runs the task in a later iteration that has budget left. Tasks run in the order of these calls. */
export function defer(task: () => void): void {
  deferred += 1;
  // Each task has its own immediate: promises continue between immediates, and their time must count too.
  const attempt = () => {
    if (isBudgetSpent()) return void setImmediate(attempt);
    deferred -= 1;
    task();
  };
  setImmediate(attempt);
}

/** Runs the task now if possible (`canRunNow`), otherwise in a later iteration. */
export function runOrDefer(task: () => void): void {
  if (canRunNow()) task();
  else defer(task);
}

const large: (() => void)[] = [];

/** Runs a task of several milliseconds in a later iteration, at most one such task per iteration, so that small tasks run in between. */
export function deferOnePerIteration(task: () => void): void {
  if (large.push(task) === 1) defer(runLarge);
}

function runLarge(): void {
  large[0]!();
  large.shift();
  if (large.length > 0) defer(runLarge);
}
