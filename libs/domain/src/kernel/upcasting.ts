import type { DomainEvent, StoredEvent } from './event.js';

/**
 * The types of an aggregate's events. Each has the upcasters of its earlier versions: the n-th converts version n to the next one, and the
 * code writes the version after the last. None is ever removed, because stored events never change.
 */
export type Upcasters<Type extends string = string> = Readonly<Record<Type, readonly Upcast[]>>;
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

/** Converts a stored event to its current version. Throws `UnknownEvent`. */
export function upcast(upcasters: Upcasters, stored: StoredEvent): DomainEvent {
  if (!isKnown(upcasters, stored)) throw new UnknownEvent(stored);
  const step = upcasters[stored.type]![stored.v - 1];
  return step ? upcast(upcasters, step(stored)) : (stored as DomainEvent);
}

export const isKnown = (upcasters: Upcasters, { type, v }: StoredEvent): boolean =>
  Object.hasOwn(upcasters, type) && v >= 1 && v <= upcasters[type]!.length + 1;
