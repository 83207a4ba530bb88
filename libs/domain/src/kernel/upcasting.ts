import type { DomainEvent, StoredEvent } from './event.js';

/**
 * How the stored versions of an aggregate's events are read: type -> version -> function to the next version, or `current` at the
 * version that the code writes today. Every (type, version) that was ever written stays in the table; stored bytes never change.
 */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcast | 'current'>>>>;
type Upcast = (event: StoredEvent) => StoredEvent;

/** A stored event that this version of the program cannot read; the stream is parked until a newer version reads it. */
export class UnknownEvent extends Error {
  constructor(event: StoredEvent) {
    super(
      `cannot read an event of type ${event.type}, version ${event.v}: it was written by a newer version of the program`,
    );
    this.name = 'UnknownEvent';
  }
}

/** Brings a stored event to the shape of today. Throws `UnknownEvent` when the table does not know it. */
export function upcast(upcasters: Upcasters, stored: StoredEvent): DomainEvent {
  let event = stored;
  for (;;) {
    const step = upcasters[event.type]?.[event.v];
    if (step === 'current') return event as DomainEvent;
    if (step === undefined) throw new UnknownEvent(event);
    event = step(event);
  }
}
