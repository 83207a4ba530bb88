import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runIn } from '../support/checkout.js';
import { foreignImages, imageFiles, removeDigests } from '../support/docker/stand-ins.js';

const PROJECT = resolve(import.meta.dirname, '../..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyfold-images-'));
  const created = folder;
  onTestFinished(() => rm(created, { recursive: true }));
  for (const file of [...imageFiles, 'scripts/pin-images.mjs']) await cp(join(PROJECT, file), join(folder, file));
  removeDigests(folder);
  await mkdir(join(folder, 'bin'));
});

const texts = () => Promise.all(imageFiles.map((file) => readFile(join(folder, file), 'utf8')));
/** Runs the script with a program `docker` that answers with this shell script. Its last argument is the image. */
async function pin(docker: string) {
  const program = join(folder, 'bin/docker');
  await writeFile(program, `#!/bin/sh\nfor image; do :; done\n${docker}\n`);
  await chmod(program, 0o755);
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  return runIn(folder, process.execPath, ['scripts/pin-images.mjs'], env).result;
}
/** Answers with a digest that depends on the image, as a registry does. */
const registry = (salt: string) =>
  `echo "{\\"digest\\":\\"sha256:$(printf '%s' "${salt} $image" | sha256sum | cut -d ' ' -f 1)\\"}"`;

it('each image is pinned by the digest of its tag, and only again if that changes', async () => {
  const before = await texts();
  const { status, out } = await pin(registry('first'));
  expect(status).toBe(0);
  expect(new Set(out.match(/(?<=: )\S+(?=@sha256)/g))).toEqual(new Set(foreignImages));
  const pinned = await texts();
  for (const image of foreignImages) expect(pinned.join('')).toMatch(new RegExp(`${image}@sha256:[0-9a-f]{64}\\s`));
  expect(await pin(registry('first'))).toEqual({ status: 0, out: '', err: '' });
  expect(await texts()).toEqual(pinned);
  await pin(registry('second'));
  const raised = await texts();
  expect(raised).not.toEqual(pinned);
  removeDigests(folder);
  expect(await texts()).toEqual(before);
});

it.each([
  ['is not found', 'case $image in haproxy*) echo "no such manifest" >&2; exit 1 ;; esac', 'no such manifest'],
  ['has no digest in the answer', 'case $image in haproxy*) echo "{}"; exit ;; esac', 'the answer has no digest'],
])('nothing changes if one image %s', async (_, failure, reason) => {
  const before = await texts();
  const { status, err } = await pin(`${failure}\n${registry('first')}`);
  expect(status).toBe(1);
  expect(err).toMatch(new RegExp(`^Cannot look up haproxy:\\S+: ${reason}\nNothing was changed\\.`));
  expect(await texts()).toEqual(before);
});
