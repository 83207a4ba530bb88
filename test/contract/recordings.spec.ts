import { StandaloneProcess } from '../support/standalone-process.js';
import { itAnswersAsRecorded } from './replayed-recordings.js';

itAnswersAsRecorded(async () => {
  const server = await StandaloneProcess.start();
  return {
    urls: [server.baseUrl],
    restart: (env) => server.restart(env),
    dispose: () => server.dispose(),
  };
});
