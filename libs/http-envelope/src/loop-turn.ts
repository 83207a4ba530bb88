/** Milliseconds that requests may take of one turn of the event loop; the next ones wait for a later turn. */
const BUDGET = 5;

/** A turn of the event loop; `began` in milliseconds of `performance.now()`. */
type Turn = Readonly<{ began: number }>;

let turn: Turn | undefined;
let waiting = 0;

/** Returns the present turn of the event loop: the same object until the turn ends. */
export function presentTurn(): Turn {
  if (!turn) {
    turn = { began: performance.now() };
    setImmediate(() => (turn = undefined));
  }
  return turn;
}

/** Returns whether requests have used their time in this turn. */
export const isTurnSpent = (): boolean => performance.now() - presentTurn().began >= BUDGET;

/** Returns whether this turn has time left and no work waits for it. */
export const isTurnFree = (): boolean => waiting === 0 && !isTurnSpent();

/** Runs the work in a later turn that has time for it. Works start in the order of these calls. */
export function inLaterTurn(work: () => void): void {
  waiting += 1;
  // Each work has an immediate of its own, because promises go on between immediates: their time counts, too.
  const attempt = () => {
    if (isTurnSpent()) return void setImmediate(attempt);
    waiting -= 1;
    work();
  };
  setImmediate(attempt);
}

/** Runs the work now if this turn has time for it, else in a later turn. */
export function whenThereIsTime(work: () => void): void {
  if (isTurnFree()) work();
  else inLaterTurn(work);
}

const large: (() => void)[] = [];

/** Runs the work in a later turn, at most one such work in each: for works that take milliseconds, so that small ones get between them. */
export function oneInATurn(work: () => void): void {
  if (large.push(work) === 1) inLaterTurn(runLarge);
}

function runLarge(): void {
  large[0]!();
  large.shift();
  if (large.length > 0) inLaterTurn(runLarge);
}
