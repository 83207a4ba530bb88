import type { Decider } from './decider.js';
import type { DomainEvent } from './event.js';
import type { Upcasters } from './upcasting.js';

/** An aggregate as the store and the read models see it: its streams, how they are folded and how old events are read. */
export type Aggregate<Id, State, Command, Event extends DomainEvent = DomainEvent> = Readonly<{
  name: AggregateName;
  /** What the name of every stream begins with; the id follows. */
  streamPrefix: string;
  decider: Decider<State, Command, Event>;
  upcasters: Upcasters;
  streamOf: (id: Id) => string;
  /** How much room a folded state takes, in units of about a kilobyte: bounds the caches. */
  weightOf: (state: State) => number;
}>;

export type AggregateName = 'account' | 'session' | 'ssh-keys' | 'ssh-key-use' | 'site-settings';
