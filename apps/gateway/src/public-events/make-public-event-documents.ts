import { asyncApiDocument, releasedSchemas } from '@keyfold/messaging/events';
import { revalidatedAnswer, type RevalidatedAnswer } from '../request/revalidated-answer.js';
import { publicEventsPage } from './public-events.page.js';

/** The page, the AsyncAPI document and every released schema, by path. */
export const makePublicEventDocuments = (): ReadonlyMap<string, RevalidatedAnswer> =>
  new Map([
    ['/docs/events', revalidatedAnswer('text/html; charset=utf-8', publicEventsPage().source)],
    ['/asyncapi.json', revalidatedAnswer('application/json; charset=utf-8', JSON.stringify(asyncApiDocument()))],
    ...[...releasedSchemas()].map(
      ([path, schema]) =>
        [path, revalidatedAnswer('application/schema+json; charset=utf-8', JSON.stringify(schema))] as const,
    ),
  ]);
