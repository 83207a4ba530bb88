import type { Answer } from '../support/api-client.js';

/** The repetitions of each request over which its CPU time is averaged. */
export const ROUNDS = 3;

/** The maximum size of a route's answer by the limits of its content, and its worst requests. */
export type WorstRoute = Readonly<{
  bytes: number;
  /** The first request succeeds, unless `refused` is the code of its refusal. */
  requests: readonly ((round: number) => Promise<Answer>)[];
  refused?: number;
}>;

/** Envelope, field names, numbers and times. */
export const FRAME = 512;
export const QUERY = 16_384;
/** A refused number is echoed; an escape takes six bytes. */
export const SHOWN_QUERY = FRAME + 6 * QUERY;
/** Lists that nobody can change, such as the factory settings with their other fields. */
export const FACTORY = 32_768;

/** Returns a query of maximum length whose value is escaped in answers, or full of addresses that answers mask. */
export const shown = (name: string) => `${name}=${'<'.repeat(QUERY - name.length - 1)}`;
export const addresses = (name: string) => `${name}=${'1.1.1.1:::'.repeat((QUERY - name.length - 1) / 10)}`;
