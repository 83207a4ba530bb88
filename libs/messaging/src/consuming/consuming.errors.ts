/** The message can never be handled. `code` is stable, in kebab-case, and free of personal data. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler exceeded its timeout; it may still be running. */
export class HandlerTimedOut extends Error {
  override readonly name = 'HandlerTimedOut';

  constructor(milliseconds: number) {
    super(`the handler took longer than ${milliseconds} ms`);
  }
}
