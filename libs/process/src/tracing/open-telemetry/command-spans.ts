import { CommandTraces, type CommandTrace } from '@keyfold/application';
import type { Appended } from '@keyfold/event-store';
import { SpanKind } from '@opentelemetry/api';
import { traceparentOfSpan, type Spans } from './spans.js';

/** Creates a span for each command and one for each attempt to append. */
export class CommandSpans extends CommandTraces {
  constructor(
    private readonly spans: Spans,
    private readonly store: 'sqlite' | 'mongodb',
  ) {
    super();
  }

  follow<Result>(type: string, run: (trace: CommandTrace) => Promise<Result>): Promise<Result> {
    const attributes = { 'keyfold.command.type': type };
    const span = this.spans.begin(type, { attributes }, this.spans.active?.spanContext());
    const trace = { traceparent: traceparentOfSpan(span), append: this.#append.bind(this) };
    return this.spans.follow(span, () => run(trace));
  }

  #append(work: () => Promise<Appended>): Promise<Appended> {
    const attributes = { 'db.system.name': this.store, 'db.operation.name': 'append', 'db.collection.name': 'commits' };
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = this.spans.begin('append commits', options, this.spans.active?.spanContext());
    return this.spans.follow(span, async () => {
      const appended = await work();
      span.setAttribute('keyfold.outcome', appended.outcome);
      return appended;
    });
  }
}
