/** Milliseconds that tasks may take in one turn of the event loop. The next tasks wait for a later turn. */
const BUDGET = 5;

/** A turn of the event loop. `startedAt` is in milliseconds of `performance.now()`. */
type Turn = Readonly<{ startedAt: number }>;

let turn: Turn | undefined;
let deferred = 0;

/** Returns the current turn of the event loop: the same object until the turn ends. */
export function currentTurn(): Turn {
  if (!turn) {
    turn = { startedAt: performance.now() };
    setImmediate(() => (turn = undefined));
  }
  return turn;
}

/** Returns whether the budget of the current turn is spent. */
export const isBudgetSpent = (): boolean => performance.now() - currentTurn().startedAt >= BUDGET;

/** Returns whether a new task can run now: the current turn has budget left and no deferred task is waiting. */
export const canRunNow = (): boolean => deferred === 0 && !isBudgetSpent();

/** Runs the task in a later turn that has budget left. Tasks run in the order of these calls. */
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

/** Runs the task now if possible (`canRunNow`), otherwise in a later turn. */
export function runOrDefer(task: () => void): void {
  if (canRunNow()) task();
  else defer(task);
}

const large: (() => void)[] = [];

/** Runs a task of several milliseconds in a later turn, at most one such task per turn, so that small tasks run in between. */
export function deferOnePerTurn(task: () => void): void {
  if (large.push(task) === 1) defer(runLarge);
}

function runLarge(): void {
  large[0]!();
  large.shift();
  if (large.length > 0) defer(runLarge);
}
