import { reasonOf } from '@keyfold/event-store';

/**
 * Checks one thing that the process needs. Throws an error that says what is missing, or returns a warning about something that keeps
 * the process from none of its work for long.
 */
export type Check = () => Promise<string | void> | string | void;

/** For everything that the process needs, `checks` has `ok`, `ok, but <warning>`, or what is missing. */
export type Readiness = Readonly<{ status: 'ready' | 'not ready'; checks: Readonly<Record<string, string>> }>;

/** How long the result of a check is told again once it is there, and how long a check may take (milliseconds). */
const FRESH = 1_000;
const LONGEST_CHECK = 3_000;

/** `until`: monotonic milliseconds up to which it is told again; a look that is under way is shared until it ends. */
type Outcome = Readonly<{ passes: boolean; text: string }>;
type Result = { until: number; readonly outcome: Promise<Outcome> };
type Phase = 'is starting' | 'runs' | 'is stopping';

/** Whether the process can do its work, and what is missing when it cannot. */
export class Health {
  #phase: Phase = 'is starting';
  readonly #missing = new Map<string, string>();
  readonly #checks = new Map<string, Check>();
  readonly #results = new Map<string, Result>();

  /** Something that the start waits for, until a check of this name replaces it. */
  waitsFor(name: string, reason: string): void {
    this.#missing.set(name, reason);
  }

  /** From now on the process is ready only while this check passes. */
  add(name: string, check: Check): void {
    this.#missing.delete(name);
    this.#checks.set(name, check);
  }

  /** The start is over. */
  started(): void {
    if (this.#phase === 'is starting') this.#phase = 'runs';
  }

  /** The process takes no more work: not ready from now on, whatever the checks say. */
  stopping(): void {
    this.#phase = 'is stopping';
  }

  async readiness(): Promise<Readiness> {
    // A load balancer must hear of the end at once, however long a look at something else would take.
    if (this.#phase === 'is stopping') return { status: 'not ready', checks: { process: this.#phase } };
    const checks: Record<string, string> = this.#phase === 'runs' ? {} : { process: this.#phase };
    for (const [name, reason] of this.#missing) checks[name] = reason;
    const isWaiting = Object.keys(checks).length > 0;
    const names = [...this.#checks.keys()];
    const outcomes = await Promise.all(names.map((name) => this.#outcome(name)));
    names.forEach((name, index) => (checks[name] = outcomes[index]!.text));
    const isReady = !isWaiting && outcomes.every(({ passes }) => passes);
    return { status: isReady ? 'ready' : 'not ready', checks };
  }

  /** Whether a check passes; false while there is none of this name. */
  async passes(name: string): Promise<boolean> {
    return this.#checks.has(name) && (await this.#outcome(name)).passes;
  }

  /** Those who ask often or at once share a look. */
  #outcome(name: string): Promise<Outcome> {
    const known = this.#results.get(name);
    if (known && performance.now() < known.until) return known.outcome;
    const outcome = run(this.#checks.get(name));
    const result: Result = { until: Infinity, outcome };
    this.#results.set(name, result);
    void outcome.then(() => (result.until = performance.now() + FRESH));
    return outcome;
  }
}

async function run(check: Check | undefined): Promise<Outcome> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no answer within ${LONGEST_CHECK / 1_000} seconds`)),
    LONGEST_CHECK,
  );
  try {
    const warning = await Promise.race([check?.(), late.promise]);
    return { passes: true, text: warning ? `ok, but ${warning}` : 'ok' };
  } catch (error) {
    return { passes: false, text: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
