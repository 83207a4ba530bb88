import type { Connection, mongo } from 'mongoose';
import { Counter } from '../counter.js';
import { COUNTERS, type CounterDocument } from './commit.model.js';
import { collectionOf, reaching } from './mongo-connection.js';

export class MongoCounter extends Counter {
  readonly #counters: mongo.Collection<CounterDocument>;

  constructor(connection: Connection) {
    super();
    this.#counters = collectionOf<CounterDocument>(connection, COUNTERS);
  }

  async take(name: string, count: number, start: number): Promise<number> {
    const next = { $add: [{ $ifNull: ['$next', start] }, count] };
    const options = { upsert: true, returnDocument: 'after' as const };
    const counter = await reaching(() => this.#counters.findOneAndUpdate({ _id: name }, [{ $set: { next } }], options));
    return counter!.next - count;
  }
}
