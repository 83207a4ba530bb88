import { asyncApiDocument, releasedSchemas } from '@keyfold/messaging/events';
import { revalidatedAnswer, type RevalidatedAnswer } from '../request/revalidated-answer.js';
import { publicEventsPage } from './public-events.page.js';

/** The page, the AsyncAPI document and every released schema, by path. */
export const makePublicEventDocuments = (): ReadonlyMap<string, RevalidatedAnswer> =>
  new Map([
    ['/docs/events', answer('text/html; charset=utf-8', publicEventsPage().source)],
    ['/asyncapi.json', answer('application/json; charset=utf-8', JSON.stringify(asyncApiDocument()))],
    ...[...releasedSchemas()].map(
      ([path, schema]) => [path, answer('application/schema+json; charset=utf-8', JSON.stringify(schema))] as const,
    ),
  ]);

const answer = (type: string, text: string) => revalidatedAnswer(type, Buffer.from(text));
