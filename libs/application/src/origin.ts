/** The request or message that caused a change. */
export type Origin = Readonly<{
  /** The id that the server gave to the request, or the sender to the message. */
  correlation: string;
  /** The request id that the client chose. */
  clientCorrelation?: string;
  /** The id of the caller's session. */
  session?: string;
  /** The W3C trace context of the request or message. */
  traceparent?: string;
  /** An id from outside: a command with an id that was used before has no further effect. */
  commandId?: string;
  /** Identifies what a request with a `commandId` asks for. By default, the type of the command and its stream. */
  requestHash?: string;
  /** The client's address, for the security log. Commits do not store it. */
  address?: string;
}>;

/** Returns the origin without the command id, for a commit that does not show that the request was executed. */
export function withoutCommandId<Each extends Origin>(origin: Each): Omit<Each, 'commandId' | 'requestHash'> {
  const { commandId: _, requestHash: __, ...rest } = origin;
  return rest;
}
