import { reasonOf } from '@keyfold/reporting';

/**
 * Checks one dependency of the process. Throws an error that names the problem, or returns a warning about a problem that does not make
 * the process unready.
 */
export type Check = () => Promise<string | void> | string | void;

/** Each check reports `ok`, `ok, but <warning>` or its problem. */
export type Readiness = Readonly<{ status: 'ready' | 'not ready'; checks: Readonly<Record<string, string>> }>;

/** A dependency of the process. `detail` is the warning or the problem, and empty if the dependency is up. */
export type Part = Readonly<{ name: string; state: 'up' | 'warning' | 'down'; detail: string }>;

/** How long the result of a check is reused (milliseconds). */
const RESULT_LIFETIME = 1_000;
/** How long a check may take (milliseconds). */
const CHECK_TIMEOUT = 3_000;

type Outcome = Omit<Part, 'name'>;
/** A result is reused until `until` (monotonic milliseconds); a running check is shared until it ends. */
type Result = { until: number; readonly outcome: Promise<Outcome> };
type Phase = 'is starting' | 'runs' | 'is stopping';

/** Reports whether the process can work now, and why not. */
export class Health {
  #phase: Phase = 'is starting';
  readonly #pending = new Map<string, string>();
  readonly #checks = new Map<string, Check>();
  readonly #results = new Map<string, Result>();

  /** Sets the reason why the startup waits, until a check of this name is added. */
  setPending(name: string, reason: string): void {
    this.#pending.set(name, reason);
  }

  /** Adds a check; from now on the process is ready only while it passes. */
  add(name: string, check: Check): void {
    this.#pending.delete(name);
    this.#checks.set(name, check);
  }

  started(): void {
    if (this.#phase === 'is starting') this.#phase = 'runs';
  }

  /** Makes the process unready for good, whatever the checks report. */
  stopping(): void {
    this.#phase = 'is stopping';
  }

  async readiness(): Promise<Readiness> {
    const parts = await this.parts();
    const checks = Object.fromEntries(parts.map((part) => [part.name, textOf(part)]));
    return { status: parts.some(({ state }) => state === 'down') ? 'not ready' : 'ready', checks };
  }

  /** Returns what the process depends on; while it starts or stops, also the process itself. */
  async parts(): Promise<Part[]> {
    const itself: Part[] = this.#phase === 'runs' ? [] : [{ name: 'process', state: 'down', detail: this.#phase }];
    // A load balancer must notice the shutdown at once, so no check may delay it.
    if (this.#phase === 'is stopping') return itself;
    const pending = [...this.#pending].map(([name, detail]): Part => ({ name, state: 'down', detail }));
    const names = [...this.#checks.keys()];
    const checked = await Promise.all(names.map(async (name) => ({ name, ...(await this.#outcome(name)) })));
    return [...itself, ...pending, ...checked];
  }

  /** Returns whether a check passes; false if there is no check of this name. */
  async passes(name: string): Promise<boolean> {
    return this.#checks.has(name) && (await this.#outcome(name)).state !== 'down';
  }

  /** Frequent and concurrent callers share one run of a check. */
  #outcome(name: string): Promise<Outcome> {
    const known = this.#results.get(name);
    if (known && performance.now() < known.until) return known.outcome;
    const outcome = run(this.#checks.get(name));
    const result: Result = { until: Infinity, outcome };
    this.#results.set(name, result);
    void outcome.then(() => (result.until = performance.now() + RESULT_LIFETIME));
    return outcome;
  }
}

function textOf({ state, detail }: Part): string {
  if (state === 'down') return detail;
  return state === 'warning' ? `ok, but ${detail}` : 'ok';
}

async function run(check: Check | undefined): Promise<Outcome> {
  const late = Promise.withResolvers<never>();
  const fail = () => late.reject(new Error(`no answer within ${CHECK_TIMEOUT / 1_000} seconds`));
  const timer = setTimeout(fail, CHECK_TIMEOUT);
  try {
    const warning = await Promise.race([check?.(), late.promise]);
    return warning ? { state: 'warning', detail: warning } : { state: 'up', detail: '' };
  } catch (error) {
    return { state: 'down', detail: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
