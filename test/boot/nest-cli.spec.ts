import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import nestCli from '../../nest-cli.json' with { type: 'json' };
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { freshCheckout, runIn } from '../support/checkout.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { SCALED_SETTINGS, ScaledProcess } from '../support/scaled-process.js';
import { migrate } from '../support/scaled-service.js';

const ROOT = resolve(import.meta.dirname, '../..');

it('nest-cli.json lists every app and every library', async () => {
  const projectsIn = async (folder: string, type: string, entryFile: string) =>
    (await readdir(join(ROOT, folder))).map((name): [string, object] => {
      const root = `${folder}/${name}`;
      return [name, { type, root, entryFile, sourceRoot: `${root}/src` }];
    });
  const apps = Object.fromEntries(await projectsIn('apps', 'application', 'main'));
  // Code for browsers has other compiler options.
  const console = { ...apps['console'], compilerOptions: { tsConfigPath: 'apps/console/tsconfig.json' } };
  const libraries = await projectsIn('libs', 'library', 'index');
  expect(nestCli.projects).toEqual({ ...apps, console, ...Object.fromEntries(libraries) });
});

it('npx nest build makes a gateway that starts', async () => {
  const checkout = await freshCheckout();
  const uri = freshDatabaseUri();
  const [build] = await Promise.all([runIn(checkout, 'npx', ['nest', 'build', 'gateway']).result, migrate(uri)]);
  expect(build).toMatchObject({ status: 0, err: '' });
  const gateway = await ScaledProcess.create(
    'gateway',
    'gateway of nest build',
    { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri },
    [process.execPath, join(checkout, 'dist/nest/apps/gateway/src/main.js')],
  );
  onTestFinished(() => gateway.dispose());
  await gateway.start();
  expect(await (await fetch(`${gateway.baseUrl}/ping`)).text()).toBe('pong');
  const admin = await new ApiClient(gateway.baseUrl).signedIn('admin', ADMIN_PASSWORD);
  expect((await admin.get('/api/me')).data()).toMatchObject({ username: 'admin' });
  expect(await gateway.stop()).toBe(0);
});
