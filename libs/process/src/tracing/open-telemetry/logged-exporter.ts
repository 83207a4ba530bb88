import { reasonOf } from '@keyfold/event-store';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Logs when a collector stops taking traces and when it takes them again, instead of logging each batch. */
export class LoggedExporter implements SpanExporter {
  #failing = false;
  /** A batch is sent when some request fills it or starts its timer, and is no part of that one. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** `host` is what the log calls the other side. */
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
    if (error) this.log.warn(`traces are lost, because ${this.host} does not take them: ${reasonFor(error)}`);
    else this.log.info(`traces are taken again by ${this.host}`);
  }
}

/** What the other side wrote may be anything, so of an HTTP answer only its status is told. */
function reasonFor(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? `it answers ${code}` : reasonOf(error);
}
