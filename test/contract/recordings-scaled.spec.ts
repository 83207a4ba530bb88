import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { itAnswersAsRecorded } from './replayed-recordings.js';

/** Two gateways that take the requests in turn, and two workers. */
itAnswersAsRecorded(() => ScaledService.start(freshDatabaseUri()));
