import { afterAll } from 'vitest';
import { adminOf } from '../accounts.js';
import { ApiClient } from '../api-client.js';
import { StandaloneProcess, type ProcessEnv } from '../standalone-process.js';
import { OpenListDouble, type DoubleOptions } from './openlist-double.js';

/** A service in front of a double of OpenList, both disposed of after the tests of the file. */
export type OpenListScene = Readonly<{
  app: StandaloneProcess;
  double: OpenListDouble;
  api: ApiClient;
  admin: ApiClient;
}>;

export async function openListScene(env: ProcessEnv = {}, options: DoubleOptions = {}): Promise<OpenListScene> {
  const double = await OpenListDouble.start(options);
  afterAll(() => double[Symbol.asyncDispose]());
  const app = await StandaloneProcess.start({
    KEYFOLD_OPENLIST_URL: double.url,
    KEYFOLD_OPENLIST_TOKEN: double.staticToken,
    ...env,
  });
  afterAll(() => app.dispose());
  const api = new ApiClient(app.baseUrl);
  return { app, double, api, admin: await adminOf(api) };
}
