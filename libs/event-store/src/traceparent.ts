/** Version, id of the trace, id of the parent, flags: W3C Trace Context, section 3.2. Ids of nothing but zeros and version ff are none. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C trace context as commits and messages carry it; undefined for everything that has not its form, for it comes from strangers. */
export const traceparentOf = (given: unknown): string | undefined =>
  typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
