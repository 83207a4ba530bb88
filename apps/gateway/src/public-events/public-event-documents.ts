import { asyncApiDocument, releasedSchemas } from '@keyfold/messaging';
import { revalidatedAnswer, type RevalidatedAnswer } from '../request/revalidated-answer.js';
import { publicEventsPage } from './public-events.page.js';

/** What is to be read about the public events, as bytes. All of it is made at the first look, so that starting stays quick. */
export class PublicEventDocuments {
  #made: ReadonlyMap<string, RevalidatedAnswer> | undefined;

  /** The document at a path, or undefined: there is none. */
  at(path: string): RevalidatedAnswer | undefined {
    this.#made ??= makeAll();
    return this.#made.get(path);
  }
}

const makeAll = (): ReadonlyMap<string, RevalidatedAnswer> =>
  new Map([
    ['/docs/events', answer('text/html; charset=utf-8', publicEventsPage().source)],
    ['/asyncapi.json', answer('application/json; charset=utf-8', JSON.stringify(asyncApiDocument()))],
    ...[...releasedSchemas()].map(
      ([path, schema]) => [path, answer('application/schema+json; charset=utf-8', JSON.stringify(schema))] as const,
    ),
  ]);

const answer = (type: string, text: string) => revalidatedAnswer(type, Buffer.from(text));
