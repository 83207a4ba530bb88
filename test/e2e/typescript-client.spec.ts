import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { exampleFolder, expectTour, ROOT, run, tourArguments } from '../support/clients/generated-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();

it('a client of openapi-typescript compiles and completes the tour', async () => {
  const folder = await exampleFolder('client-typescript', app.baseUrl);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = (name: string) => join(ROOT, 'node_modules/.bin', name);
  await run(program('openapi-typescript'), ['openapi.json', '--output', 'keyfold.ts'], folder);
  await run(program('tsc'), ['--project', '.'], folder);
  expectTour(await run(process.execPath, ['tour.mts', ...tourArguments(app.baseUrl)], folder));
});
