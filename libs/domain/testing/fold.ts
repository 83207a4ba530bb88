import type { Aggregate } from '../src/kernel/aggregate.js';
import type { DomainEvent, StoredEvent } from '../src/kernel/event.js';
import { upcast } from '../src/kernel/upcasting.js';

/** Returns the state that stored events lead to. */
export const fold = <Id, State, Command, Event extends DomainEvent>(
  { decider, upcasters }: Aggregate<Id, State, Command, Event>,
  events: readonly StoredEvent[],
  from: State = decider.initialState,
): State => events.reduce((state, event) => decider.evolve(state, upcast(upcasters, event) as Event), from);
