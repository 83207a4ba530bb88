import { openReadModels } from '../../testing/open-read-models.js';
import { describeTokenUses } from '../../testing/token-uses.contract.js';
import { MongoTokenUses } from './mongo-token-uses.js';

describeTokenUses('MongoDB', async () => new MongoTokenUses((await openReadModels()).connection));
