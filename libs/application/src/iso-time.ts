/** Converts unix milliseconds to an ISO 8601 timestamp in UTC, always with milliseconds (wire contract 3.3). */
export const isoTime = (at: number): string => new Date(at).toISOString();
