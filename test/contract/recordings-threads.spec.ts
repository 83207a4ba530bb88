import { StandaloneProcess } from '../support/standalone-process.js';
import { IS_LONG } from '../support/test-length.js';
import { itAnswersAsRecorded, STATEFUL_GROUPS } from './replayed-recordings.js';

itAnswersAsRecorded(
  async () => {
    const server = await StandaloneProcess.start({ KEYFOLD_THREADS: '4' });
    return {
      urls: [server.baseUrl],
      restart: (env) => server.restart(env),
      dispose: () => server.dispose(),
    };
  },
  IS_LONG ? undefined : STATEFUL_GROUPS,
);
