import type { DomainErrorCode } from './domain-error.js';

/** A key that only one commit can ever take, such as a turn of a name or a used one-time code. Others get `takenError`. */
export type Hold = Readonly<{ key: string; takenError: DomainErrorCode }>;

/** The result of a command: the events of one commit and the holds that it takes. Without events nothing changes. */
export type Decision<Event> = Readonly<{ events: readonly Event[]; holds?: readonly Hold[] }>;

/**
 * The pure core of an aggregate. `decide` throws a `DomainError` for an expected refusal; it gets time, ids, hashes and parsed keys with
 * the command. `evolve` accepts every event ever stored, after upcasting.
 */
export type Decider<State, Command, Event> = Readonly<{
  initialState: State;
  decide: (state: State, command: Command) => Decision<Event>;
  evolve: (state: State, event: Event) => State;
}>;
