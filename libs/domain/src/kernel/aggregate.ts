import type { Decider } from './decider.js';
import type { DomainEvent } from './event.js';
import type { Upcasters } from './upcasting.js';

/** Describes an aggregate to the store and the read models: its streams, how to fold them and how to read old events. */
export type Aggregate<Id, State, Command, Event extends DomainEvent = DomainEvent> = Readonly<{
  name: AggregateName;
  /** The prefix of its stream names. The id follows. */
  streamPrefix: string;
  decider: Decider<State, Command, Event>;
  upcasters: Upcasters;
  streamOf: (id: Id) => string;
}>;

export type AggregateName =
  | 'account'
  | 'session'
  | 'ssh-keys'
  | 'ssh-key-use'
  | 'access-tokens'
  | 'app-passwords'
  | 'openlist-user'
  | 'site-settings'
  | 'erasures';
