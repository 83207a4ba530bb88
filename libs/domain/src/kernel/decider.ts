import type { DomainErrorCode } from './domain-error.js';

/** A key that nobody else may hold while it is held, for ever: a name in one of its turns, or a used one-time code. */
export type Hold = Readonly<{ key: string; takenError: DomainErrorCode }>;

/** What a command leads to: events of one commit (none: nothing changes) and the holds that the commit takes. */
export type Decision<Event> = Readonly<{ events: readonly Event[]; holds?: readonly Hold[] }>;

/**
 * An aggregate as three pure functions. `decide` throws a `DomainError` for an expected refusal; time, ids, hashes and parsed
 * keys come in with the command. `evolve` accepts every event ever stored (after upcasting).
 */
export type Decider<State, Command, Event> = Readonly<{
  initialState: State;
  decide: (state: State, command: Command) => Decision<Event>;
  evolve: (state: State, event: Event) => State;
}>;
