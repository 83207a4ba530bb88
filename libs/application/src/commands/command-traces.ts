import type { Appended } from '@keyfold/event-store';

/** The span of one command in a trace. */
export type CommandTrace = Readonly<{
  /** W3C trace context of this span. The commit stores it, so that later work on the commit continues the trace. */
  traceparent: string;
  /** Runs one attempt to append in a child span. */
  append(append: () => Promise<Appended>): Promise<Appended>;
}>;

/** Traces commands. Processes without tracing have no instance and pay nothing. */
export abstract class CommandTraces {
  /** Runs a command in a span below its request or message, and returns or throws what `run` does. */
  abstract follow<Result>(type: string, run: (trace: CommandTrace) => Promise<Result>): Promise<Result>;
}
