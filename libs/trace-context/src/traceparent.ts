/** Version, trace id, parent id, flags: W3C Trace Context, section 3.2. Version ff and ids of only zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns a W3C `traceparent` from a client or another service if it is valid, otherwise undefined. */
export const traceparentOf = (given: unknown): string | undefined =>
  typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
