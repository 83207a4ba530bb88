import type { DynamicModule } from '@nestjs/common';

/** A request as a trace tells of it. */
export type RequestTrace = Readonly<{
  /** Goes on with the request: what `next` begins is a part of it. */
  run(next: () => void): void;
  /**
   * `route` as it is declared, without what a client put in its places; undefined where no route took the request. `status` of the
   * answer; undefined where the client did not wait for it.
   */
  end(answer: Readonly<{ route: string | undefined; status: number | undefined }>): void;
}>;

/** Tells of requests. */
export type RequestTraces = Readonly<{
  /** `traceparent` is what the client sent; nobody vouches for it, so the new trace links to it and is no part of it. */
  begin(request: Readonly<{ method: string; scheme: string; traceparent: string | undefined }>): RequestTrace;
}>;

/** What a process needs to tell of its work; there is none in a process that nobody traces. */
export type Tracing = Readonly<{
  requests: RequestTraces;
  /** Provides `CommandTraces` and `MessageTraces` to every module of the app. */
  module(store: 'sqlite' | 'mongodb'): DynamicModule;
  /** What every line of the log says that is written for a traced request or message. */
  logFields(): Readonly<{ traceId?: string }>;
  /** Sends what is left, as far as that is possible within some seconds. */
  end(): Promise<void>;
}>;

/** The modules that an app needs besides, because it is traced. */
export const tracingModules = (tracing: Tracing | undefined, store: 'sqlite' | 'mongodb'): DynamicModule[] =>
  tracing ? [tracing.module(store)] : [];
