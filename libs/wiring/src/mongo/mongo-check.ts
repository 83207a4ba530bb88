import { reasonOf } from '@keyfold/event-store';
import type { Connection } from 'mongoose';
import { StoreCheck } from '../stores/store-check.js';

/** How long the primary may take to answer (milliseconds), shorter than what waits for the readiness. */
const LONGEST_PING = 1_500;

/** Asks the primary, since nothing works without one. */
export class MongoCheck extends StoreCheck {
  #lastFailure = '';

  constructor(private readonly connection: Connection) {
    super();
    const client = connection.getClient();
    client.on('serverHeartbeatFailed', ({ failure }) => (this.#lastFailure = `: ${reasonOf(failure)}`));
    client.on('serverHeartbeatSucceeded', () => (this.#lastFailure = ''));
  }

  async run(): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no primary answers')), LONGEST_PING);
    try {
      const options = { readPreference: 'primary', signal: late.signal } as const;
      await this.connection.getClient().db('admin').command({ ping: 1 }, options);
    } catch (error) {
      throw new Error(`MongoDB is not available: ${reasonOf(error)}${this.#lastFailure}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
