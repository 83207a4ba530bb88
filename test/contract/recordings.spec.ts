import { itAnswersAsRecorded, standaloneServer } from './replayed-recordings.js';

itAnswersAsRecorded(standaloneServer);
