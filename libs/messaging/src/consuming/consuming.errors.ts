/** The message can never be handled, however often it comes. `code` is stable, in kebab-case, and free of personal data. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler did not end in its time; it may still do its work. */
export class HandlerTimedOut extends Error {
  override readonly name = 'HandlerTimedOut';

  constructor(milliseconds: number) {
    super(`the handler took longer than ${milliseconds} ms`);
  }
}
