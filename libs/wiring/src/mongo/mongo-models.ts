import { eventStoreModels, feedModels } from '@keyfold/event-store/mongo';
import { messagingModels } from '@keyfold/messaging/mongo';
import { projectionModels } from '@keyfold/projections/mongo';
import { throttleModels } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';

/** Everything that `keyfold migrate` makes and that a start requires. */
export const mongoModels = (connection: Connection) => [
  ...eventStoreModels(connection),
  ...feedModels(connection),
  ...projectionModels(connection),
  ...throttleModels(connection),
  ...messagingModels(connection),
];
