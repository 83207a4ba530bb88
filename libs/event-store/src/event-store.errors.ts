/** The stream does not have the version that the decision was based on. Load it and decide again. */
export class WrongExpectedVersion extends Error {
  constructor(stream: string, version: number) {
    super(`stream ${stream} is not at version ${version - 1}`);
    this.name = 'WrongExpectedVersion';
  }
}

/** Another commit holds `key`, permanently. */
export class HoldTaken extends Error {
  constructor(readonly key: string) {
    super(`hold ${key} is taken`);
    this.name = 'HoldTaken';
  }
}

/** A different request already used the command id. */
export class CommandIdReused extends Error {
  constructor(id: string) {
    super(`command id ${id} was used by a different request`);
    this.name = 'CommandIdReused';
  }
}

const RETRY_AFTER_SECONDS = 5;

/** The store cannot be reached or cannot write (full disk, locked file). Nothing is half written; retry later. */
export class StoreUnavailable extends Error {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}

/** Other writers were faster on every attempt. The store works, and calls that touch other data succeed; retry later. */
export class Contended extends Error {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
  constructor(message: string) {
    super(message);
    this.name = 'Contended';
  }
}

/** Whether the same call may succeed later: the store is down, or other writers were faster. Its outcome may be unknown. */
export const isRetryable = (error: unknown): error is StoreUnavailable | Contended =>
  error instanceof StoreUnavailable || error instanceof Contended;

/** Whether other calls would fail as well, because the store itself is down. */
export const isOutage = (error: unknown): error is StoreUnavailable => error instanceof StoreUnavailable;
