/** Seconds after which a retry makes sense, sent as `Retry-After`. */
export type RetryHint = Readonly<{ retryAfterSeconds?: number | undefined }>;

/** An expected negative answer: HTTP status 200 with this code and message in the envelope (wire contract 1.1). */
export class Refusal extends Error {
  readonly retryAfterSeconds: number | undefined;
  readonly showsTime: boolean;

  /** With `showsTime`, the envelope has the additional field `server_time`. */
  constructor(
    readonly code: number,
    message: string,
    { retryAfterSeconds, showsTime = false }: RetryHint & { showsTime?: boolean } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.retryAfterSeconds = retryAfterSeconds;
    this.showsTime = showsTime;
  }
}

/** A condition that prevents a request from being handled: a real HTTP status, and the same code in the envelope. */
export class Fault extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly status: number,
    message: string,
    { retryAfterSeconds }: RetryHint = {},
  ) {
    super(message);
    this.name = 'Fault';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The refusal for an error: its code and message on the wire, and for the documentation when it occurs. */
export type RefusalRow = Readonly<{ code: number; message: string; when: string; showsTime?: true }>;

/** Creates the row of a refusal in a table. */
export const row = (code: number, message: string, when: string): RefusalRow => ({ code, message, when });
