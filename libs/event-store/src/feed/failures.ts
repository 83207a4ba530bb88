import { isOutage } from '../event-store.errors.js';

/** Reports each failure once while it lasts, even if several activities of a reader meet the same outage. */
export class Failures {
  readonly #open = new Map<string, string>();

  constructor(private readonly report: (error: unknown) => void) {}

  failed(activity: string, error: unknown): void {
    const kind = isOutage(error) ? error.name : String(error);
    const known = [...this.#open.values()].includes(kind);
    this.#open.set(activity, kind);
    if (!known) this.report(error);
  }

  worked(activity: string): void {
    this.#open.delete(activity);
  }

  get any(): boolean {
    return this.#open.size > 0;
  }
}
