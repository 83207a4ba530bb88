import { eventStoreModels, feedModels } from '@keyfold/event-store/mongo';
import { messagingModels } from '@keyfold/messaging/mongo';
import { projectionModels, sessionUseModels } from '@keyfold/projections/mongo';
import { throttleModels } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';

/** Returns the models whose collections and indexes `keyfold migrate` creates and every startup requires. */
export const mongoModels = (connection: Connection) => [
  ...eventStoreModels(connection),
  ...feedModels(connection),
  ...projectionModels(connection),
  ...sessionUseModels(connection),
  ...throttleModels(connection),
  ...messagingModels(connection),
];
