import { IS_LONG } from '../support/test-length.js';
import { itAnswersAsRecorded, standaloneServer, STATEFUL_GROUPS } from './replayed-recordings.js';

itAnswersAsRecorded(() => standaloneServer({ KEYFOLD_THREADS: '4' }), IS_LONG ? undefined : STATEFUL_GROUPS);
