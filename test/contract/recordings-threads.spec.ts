import { StandaloneProcess } from '../support/standalone-process.js';
import { itAnswersAsRecordedAtOneServer } from './replayed-recordings.js';

itAnswersAsRecordedAtOneServer(async () => {
  const server = await StandaloneProcess.start({ KEYFOLD_THREADS: '4' });
  return {
    urls: [server.baseUrl],
    restart: (env) => server.restart(env),
    dispose: () => server.dispose(),
  };
});
