/**
 * The request or message that a change belongs to. `correlation` is the id that the server gave to the request, or the sender to the
 * message; `clientCorrelation` is one that the client chose. `session` is the caller's, if it has one. `traceparent` is the W3C trace
 * context that came with it. `address` is the client's, for the security log; commits do not store it.
 */
export type Origin = Readonly<{
  correlation: string;
  clientCorrelation?: string;
  session?: string;
  traceparent?: string;
  address?: string;
}>;
