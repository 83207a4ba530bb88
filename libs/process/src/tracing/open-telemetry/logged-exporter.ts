import { reasonOf } from '@keyfold/event-store';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Logs when exports begin to fail and when they succeed again, instead of logging each batch. */
export class LoggedExporter implements SpanExporter {
  #failing = false;
  /** A batch is sent in the context of an arbitrary request, to which its log lines do not belong. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** `host` is the name of the collector in the log. */
  constructor(
    private readonly exporter: SpanExporter,
    private readonly host: string,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#outside(() =>
      this.exporter.export(spans, (result) => {
        this.#report(result.error);
        done(result);
      }),
    );
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  #report(error: Error | undefined): void {
    if ((error !== undefined) === this.#failing) return;
    this.#failing = error !== undefined;
    if (error) this.log.warn(`cannot send traces to ${this.host}, dropping them: ${reasonFor(error)}`);
    else this.log.info(`sending traces to ${this.host} again`);
  }
}

/** The body of a response may contain anything, so only its status is logged. */
function reasonFor(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? `HTTP status ${code}` : reasonOf(error);
}
