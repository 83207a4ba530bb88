import type { DynamicModule } from '@nestjs/common';

export type RequestTrace = Readonly<{
  /** Continues the request; everything that `next` starts belongs to its trace. */
  run(next: () => void): void;
  /**
   * Ends the trace. `route` is the declared pattern, without the client's values, or undefined if no route matched. `status` is that of
   * the response, or undefined if the client disconnected before it.
   */
  end(answer: Readonly<{ route: string | undefined; status: number | undefined }>): void;
}>;

export type RequestTraces = Readonly<{
  /** Begins a trace. `traceparent` comes from the client and cannot be trusted, so the new trace links to it and does not continue it. */
  begin(request: Readonly<{ method: string; scheme: string; traceparent: string | undefined }>): RequestTrace;
}>;

/** The tracing of a process. A process without a trace endpoint has none. */
export type Tracing = Readonly<{
  requests: RequestTraces;
  /** Provides `CommandTraces` and `MessageTraces` to every module of the app. */
  module(store: 'sqlite' | 'mongodb'): DynamicModule;
  /** Returns the fields to add to each log line of a traced request or message. */
  logFields(): Readonly<{ traceId?: string }>;
  /** Sends the remaining spans; times out after a few seconds. */
  end(): Promise<void>;
}>;

/** Returns the modules that an app needs for tracing; none if the process is not traced. */
export const tracingModules = (tracing: Tracing | undefined, store: 'sqlite' | 'mongodb'): DynamicModule[] =>
  tracing ? [tracing.module(store)] : [];
