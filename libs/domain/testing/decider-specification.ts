import { expect } from 'vitest';
import type { Decider, Decision } from '../src/kernel/decider.js';
import { DomainError, type DomainErrorCode } from '../src/kernel/domain-error.js';

/** Returns the state that a history leads to. */
export const stateAfter = <State, Command, Event>(
  { initialState, evolve }: Decider<State, Command, Event>,
  ...history: readonly NoInfer<Event>[]
): State => history.reduce(evolve, initialState);

/** Begins a sentence about a decider: given this history, when this command comes, then these events or this refusal. */
export const given = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  ...history: readonly NoInfer<Event>[]
) => ({
  when: (command: NoInfer<Command>) => new Outcome(() => decider.decide(stateAfter(decider, ...history), command)),
});

/** The outcome of a command. Each method asserts one part of it and can be chained. */
class Outcome<Event> {
  constructor(private readonly decide: () => Decision<Event>) {}

  /** Expects exactly these events, in this order. */
  thenEvents(...events: readonly [Event, ...Event[]]): this {
    expect(this.decide().events).toStrictEqual(events);
    return this;
  }

  /** Expects the command to be accepted without events or holds. */
  thenNothing(): this {
    expect(this.decide().events).toStrictEqual([]);
    return this.thenHolds();
  }

  /** Expects exactly these holds. `thenTakenRefusal` checks the refusals that they lead to. */
  thenHolds(...keys: readonly string[]): this {
    expect((this.decide().holds ?? []).map((hold) => hold.key)).toStrictEqual(keys);
    return this;
  }

  /** Expects these refusals, one for each hold that another commit may have taken. */
  thenTakenRefusal(...codes: readonly DomainErrorCode[]): this {
    expect((this.decide().holds ?? []).map((hold) => hold.takenError)).toStrictEqual(codes);
    return this;
  }

  /** Expects a refusal with this code and this retry delay in whole seconds, or none. */
  thenRefused(code: DomainErrorCode, retryAfterSeconds?: number): this {
    expect(outcomeOf(this.decide)).toStrictEqual({ code, retryAfterSeconds });
    return this;
  }
}

function outcomeOf(decide: () => unknown) {
  try {
    return { decided: decide() };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, retryAfterSeconds: error.details.retryAfterSeconds };
  }
}
