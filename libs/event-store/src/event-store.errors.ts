/** The stream has other commits than the decision was made on: load again and decide again. */
export class WrongExpectedVersion extends Error {
  constructor(stream: string, version: number) {
    super(`stream ${stream} is not at version ${version - 1}`);
    this.name = 'WrongExpectedVersion';
  }
}

/** Another commit holds `key` for ever. */
export class HoldTaken extends Error {
  constructor(readonly key: string) {
    super(`hold ${key} is taken`);
    this.name = 'HoldTaken';
  }
}

/** A command id came with another request than the one that used it first. */
export class CommandIdReused extends Error {
  constructor(id: string) {
    super(`command id ${id} was used by a different request`);
    this.name = 'CommandIdReused';
  }
}

/** The store cannot be reached or cannot write (full disk, locked file): nothing was half written, trying again later helps. */
export class StoreUnavailable extends Error {
  readonly retryAfterSeconds = 5;
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}

/** Others were quicker each time, at one place of the store. No outage: it says nothing about other places. */
export class Contended extends StoreUnavailable {
  constructor(message: string) {
    super(message);
    this.name = 'Contended';
  }
}
