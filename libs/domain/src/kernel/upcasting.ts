import type { DomainEvent, StoredEvent } from './event.js';

/**
 * The upcasters of an aggregate's events by type and version. Each converts to the next version; `current` marks the version that the code
 * writes. Every version that was ever written stays in the table, because stored events never change.
 */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcast | 'current'>>>>;
type Upcast = (event: StoredEvent) => StoredEvent;

/** Thrown for an event that only a newer version of Keyfold can read. The stream is parked until such a version runs. */
export class UnknownEvent extends Error {
  constructor(event: StoredEvent) {
    super(
      `cannot read an event of type ${event.type}, version ${event.v}: it was written by a newer version of the program`,
    );
    this.name = 'UnknownEvent';
  }
}

/**
 * Converts a stored event to its current version.
 *
 * @throws `UnknownEvent` if the table does not contain its type and version.
 */
export function upcast(upcasters: Upcasters, stored: StoredEvent): DomainEvent {
  let event = stored;
  for (;;) {
    const step = upcasters[event.type]?.[event.v];
    if (step === 'current') return event as DomainEvent;
    if (step === undefined) throw new UnknownEvent(event);
    event = step(event);
  }
}
