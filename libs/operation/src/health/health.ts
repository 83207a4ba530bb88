import { reasonOf } from '@keyfold/event-store';

/** Looks at one thing that the process needs; throws an error that says what is missing. */
export type Check = () => Promise<void> | void;

/** `checks` has `ok` or what is missing for everything that the process needs. */
export type Readiness = Readonly<{ status: 'ready' | 'not ready'; checks: Readonly<Record<string, string>> }>;

/** How long the result of a check is told again once it is there, and how long a check may take (milliseconds). */
const FRESH = 1_000;
const LONGEST_CHECK = 3_000;

/** `until`: monotonic milliseconds up to which it is told again; a look that is under way is shared until it ends. */
type Result = { until: number; readonly outcome: Promise<string> };
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
    await Promise.all(Array.from(this.#checks.keys(), async (name) => (checks[name] = await this.#outcome(name))));
    return { status: Object.values(checks).every((outcome) => outcome === 'ok') ? 'ready' : 'not ready', checks };
  }

  /** Whether a check passes; false while there is none of this name. */
  async passes(name: string): Promise<boolean> {
    return this.#checks.has(name) && (await this.#outcome(name)) === 'ok';
  }

  /** Those who ask often or at once share a look. */
  #outcome(name: string): Promise<string> {
    const known = this.#results.get(name);
    if (known && performance.now() < known.until) return known.outcome;
    const outcome = run(this.#checks.get(name));
    const result: Result = { until: Infinity, outcome };
    this.#results.set(name, result);
    void outcome.then(() => (result.until = performance.now() + FRESH));
    return outcome;
  }
}

async function run(check: Check | undefined): Promise<string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`no answer within ${LONGEST_CHECK / 1_000} seconds`), LONGEST_CHECK);
  try {
    return await Promise.race([Promise.resolve(check?.()).then(() => 'ok'), late.promise]);
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
  }
}
