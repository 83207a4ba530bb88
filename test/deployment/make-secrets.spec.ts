import { chown, cp, lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runIn } from '../support/checkout.js';
import { needs } from '../support/needs.js';

await needs('openssl');

const SCRIPT = resolve(import.meta.dirname, '../../deploy/make-secrets.sh');
/** Answers like a current `docker`. */
const DOCKER = '#!/bin/sh\n[ "$1" = version ] && echo 28.5.2 || echo 2.40.0\n';

let folder: string;
const secrets = () => join(folder, 'deploy/secrets');
const program = (name: string, text: string) => writeFile(join(folder, 'bin', name), text, { mode: 0o755 });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyfold-secrets-'));
  const created = folder;
  onTestFinished(() => rm(created, { recursive: true }));
  for (const name of ['deploy', 'bin', 'elsewhere']) await mkdir(join(folder, name));
  await cp(SCRIPT, join(folder, 'deploy/make-secrets.sh'));
  await program('docker', DOCKER);
});

/** Gives a file to another user. Only root can; for others, `find` says so. */
async function giveAway(path: string): Promise<void> {
  if (process.getuid!() === 0) await chown(join(folder, 'deploy', path), 4_242, 4_242);
  else await program('find', `#!/bin/sh\n[ "$2" = -prune ] && exec /usr/bin/find "$@"\necho ${path}\n`);
}

const run = () =>
  runIn(folder, 'sh', ['deploy/make-secrets.sh'], { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` }).result;
const expectRefusal = async (message: string) => {
  const { status, err } = await run();
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(`make-secrets: ${message}`) });
};

it('the folder of the secrets is closed to other users, even if it was open', async () => {
  await mkdir(secrets(), { mode: 0o755 });
  expect(await run()).toMatchObject({ status: 0, err: '' });
  expect((await lstat(secrets())).mode & 0o777).toBe(0o700);
  expect((await readFile(join(secrets(), 'sealing-key'), 'utf8')).length).toBeGreaterThan(40);
});

it('a file that was planted under the temporary name of a secret or of .env is not written to', async () => {
  await mkdir(secrets());
  const planted = [join(secrets(), 'token-secret.new'), join(folder, '.env.new')];
  for (const [index, path] of planted.entries()) await symlink(join(folder, 'elsewhere', `${index}`), path);
  expect(await run()).toMatchObject({ status: 0 });
  expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  expect((await lstat(join(secrets(), 'token-secret'))).isFile()).toBe(true);
});

it('a setting of .env whose value was cut off gets one, and the others stay', async () => {
  const file = join(folder, '.env');
  await writeFile(file, 'KEYFOLD_PORT=80\nOTHER=1\nKEYFOLD_TAG=');
  expect((await run()).out).toContain('added KEYFOLD_TAG to .env\n');
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /PORT|OTHER|TAG/.test(line));
  expect(lines).toEqual(['KEYFOLD_PORT=80', 'OTHER=1', expect.stringMatching(/^KEYFOLD_TAG=\d{8}-\d{6}$/)]);
  expect((await run()).out).not.toContain('.env');
});

describe('the script refuses', () => {
  it('a folder that is a symbolic link', async () => {
    await symlink(join(folder, 'elsewhere'), secrets());
    await expectRefusal('deploy/secrets belongs to another user or is a symbolic link.');
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('a folder of another user', async () => {
    await mkdir(secrets());
    await program('id', '#!/bin/sh\necho 4242\n');
    await expectRefusal('deploy/secrets belongs to another user');
    expect(await readdir(secrets())).toEqual([]);
  });

  it('a file of another user', async () => {
    await mkdir(secrets());
    await writeFile(join(secrets(), 'sealing-key'), 'k1:known');
    await giveAway('secrets/sealing-key');
    const advice = `If you trust its content, run "chown ${process.getuid!()} deploy/secrets/sealing-key" as root. Keep sealing-key`;
    await expectRefusal(`deploy/secrets/sealing-key belongs to another user. ${advice}`);
    expect(await readdir(secrets())).toEqual(['sealing-key']);
  });
});
