import { asyncApiDocument, releasedSchemas } from '@keyfold/messaging/events';
import { revalidatedResponse, type RevalidatedResponse } from '../http/revalidated-response.js';
import { publicEventsPage } from './public-events.page.js';

/** Builds the documentation page, the AsyncAPI document and every released schema, by path. */
export const buildPublicEventDocuments = (): ReadonlyMap<string, RevalidatedResponse> =>
  new Map([
    ['/docs/events', revalidatedResponse('text/html; charset=utf-8', publicEventsPage().source)],
    ['/asyncapi.json', revalidatedResponse('application/json; charset=utf-8', JSON.stringify(asyncApiDocument()))],
    ...[...releasedSchemas()].map(
      ([path, schema]) =>
        [path, revalidatedResponse('application/schema+json; charset=utf-8', JSON.stringify(schema))] as const,
    ),
  ]);
