import { eventStoreModels, feedModels } from '@keyfold/event-store/mongo';
import { messagingModels } from '@keyfold/messaging/mongo';
import { projectionModels, tokenUseModels } from '@keyfold/projections/mongo';
import { loginHourModels, throttleModels } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';

/** Returns the models whose collections and indexes `keyfold migrate` creates and every startup requires. */
export const mongoModels = (connection: Connection) => [
  ...eventStoreModels(connection),
  ...feedModels(connection),
  ...projectionModels(connection),
  ...tokenUseModels(connection),
  ...throttleModels(connection),
  ...loginHourModels(connection),
  ...messagingModels(connection),
];
