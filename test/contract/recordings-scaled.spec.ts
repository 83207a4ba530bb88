import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { itAnswersAsRecordedAtOneServer } from './replayed-recordings.js';

/** Two gateways, which receive the requests in turn, and two workers. */
itAnswersAsRecordedAtOneServer(() => ScaledService.start(freshDatabaseUri()));
