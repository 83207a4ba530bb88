import type { Appended } from '@keyfold/event-store';

/** The part of a trace that one command is. */
export type CommandTrace = Readonly<{
  /** W3C trace context of this part; the commit stores it, so that what follows from the commit goes on from here. */
  traceparent: string;
  /** Runs one try to append, and tells of it as a part of its own. */
  append(append: () => Promise<Appended>): Promise<Appended>;
}>;

/** Tells whoever traces the service which commands run. Where nobody does, there is none, and it costs nothing. */
export abstract class CommandTraces {
  /** Runs a command as a part of the request or the message that it came with; answers and throws what `run` does. */
  abstract follow<Result>(type: string, run: (trace: CommandTrace) => Promise<Result>): Promise<Result>;
}
