import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { IS_LONG } from '../support/test-length.js';
import { itAnswersAsRecorded, STATEFUL_GROUPS } from './replayed-recordings.js';

/** Two gateways, which receive the requests in turn, and two workers. */
itAnswersAsRecorded(() => ScaledService.start(freshDatabaseUri()), IS_LONG ? undefined : STATEFUL_GROUPS);
