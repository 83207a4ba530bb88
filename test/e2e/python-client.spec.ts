import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { pythonClientGenerator } from '../support/clients/client-generator.js';
import { exampleFolder, expectTour, run, tourArguments } from '../support/clients/generated-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();

it('a client of openapi-python-client completes the tour', async () => {
  const folder = await exampleFolder('client-python', app.baseUrl);
  const env = { PYTHONPATH: await pythonClientGenerator(), PYTHONDONTWRITEBYTECODE: '1' };
  // Its formatter, ruff, is not installed.
  await writeFile(join(folder, 'generator.yml'), 'post_hooks: []\n');
  const words = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'keyfold_client'];
  await run('python3', ['-m', 'openapi_python_client', 'generate', ...words, '--config', 'generator.yml'], folder, env);
  await run('python3', ['-W', 'error', '-m', 'compileall', '-q', 'keyfold_client'], folder, env);
  expectTour(await run('python3', ['tour.py', ...tourArguments(app.baseUrl)], folder, env));
});
