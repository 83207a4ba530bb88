/**
 * The request or message that a change belongs to: its id, and the W3C trace context that came with it. `address` is the client's,
 * for the security log; commits do not store it.
 */
export type Origin = Readonly<{ correlation: string; traceparent?: string; address?: string }>;
