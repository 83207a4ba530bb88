import { openReadModels } from '../../testing/open-read-models.js';
import { describeSessionUses } from '../../testing/session-uses.contract.js';
import { MongoSessionUses } from './mongo-session-uses.js';

describeSessionUses('MongoDB', async () => new MongoSessionUses((await openReadModels()).connection));
