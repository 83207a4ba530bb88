import { expect } from 'vitest';
import type { Decider, Decision } from '../src/kernel/decider.js';
import { DomainError, type DomainErrorCode } from '../src/kernel/domain-error.js';

/** The state that a history leads to. */
export const stateAfter = <State, Command, Event>(
  { initialState, evolve }: Decider<State, Command, Event>,
  ...history: readonly NoInfer<Event>[]
): State => history.reduce(evolve, initialState);

/** A sentence about a decider: given what happened, when a command comes, then these events or this refusal. */
export const given = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  ...history: readonly NoInfer<Event>[]
) => ({
  when: (command: NoInfer<Command>) => new Outcome(() => decider.decide(stateAfter(decider, ...history), command)),
});

/** What came of the command. Every method asserts one part and can be followed by another. */
class Outcome<Event> {
  constructor(private readonly decide: () => Decision<Event>) {}

  /** Exactly these events, in this order. */
  thenEvents(...events: readonly [Event, ...Event[]]): this {
    expect(this.decide().events).toStrictEqual(events);
    return this;
  }

  /** The command is accepted and changes nothing: no event, no hold. */
  thenNothing(): this {
    expect(this.decide().events).toStrictEqual([]);
    return this.thenHolds();
  }

  /** Exactly these holds; the refusals that they lead to are checked by `thenTakenRefusal`. */
  thenHolds(...keys: readonly string[]): this {
    expect((this.decide().holds ?? []).map((hold) => hold.key)).toStrictEqual(keys);
    return this;
  }

  /** What the caller is told when somebody else has one of the holds. */
  thenTakenRefusal(...codes: readonly DomainErrorCode[]): this {
    expect((this.decide().holds ?? []).map((hold) => hold.takenError)).toStrictEqual(codes);
    return this;
  }

  /** The command is refused with this code, and with this time to wait (whole seconds; none unless given). */
  thenRefused(code: DomainErrorCode, retryAfterSeconds?: number): this {
    expect(refusalOf(this.decide)).toStrictEqual({ code, retryAfterSeconds });
    return this;
  }
}

function refusalOf(decide: () => unknown) {
  try {
    return { decided: decide() };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, retryAfterSeconds: error.retryAfterSeconds };
  }
}
