import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { release } from '../support/programs.js';
import { Deployment } from './deployment.js';
import { trafficOf } from './operations.js';

let site: Deployment;
let back: string;
beforeAll(async () => {
  site = await Deployment.start('keyfold-upgrade', '172.16.55', release.commit);
  const [, tag] = /^KEYFOLD_TAG=(.*)$/m.exec(await readFile(join(site.folder, '.env'), 'utf8')) ?? [];
  back = `sh deploy/upgrade.sh ${tag}`;
});
afterAll(() => site?.dispose());

const observe = trafficOf(() => site);

/** Runs a command while clients work. Returns its output, and expects that no request failed and no event was lost. */
async function unnoticed(name: string, command: string): Promise<string> {
  let output = '';
  const { answered, failures } = await observe(
    name,
    async () => (output = await site.expectSuccess('sh', '-c', command)),
  );
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(100);
  return output;
}

// Each test continues where the one before it ended.
it(`upgrade.sh replaces ${release.version} with this version under load, and says how to go back`, async () => {
  await site.checkOut();
  expect(await unnoticed('from-release', 'sh deploy/upgrade.sh')).toContain(`To go back: ${back}\n`);
  expect(await site.exec('gateway', 'keyfold', 'verify')).toMatchObject({ code: 0 });
});

it(`the command goes back to ${release.version} under load`, async () => {
  await unnoticed('to-release', back);
  expect(await site.compose('run', '--rm', '-T', 'migrate', 'verify')).toMatchObject({ code: 0 });
});

it(`a change of a setting does not stop at the topology of ${release.version}`, async () => {
  await site.up({ KEYFOLD_GATEWAYS: 2 });
});

it('upgrade.sh replaces it again', async () => {
  await unnoticed('again', 'sh deploy/upgrade.sh');
});
