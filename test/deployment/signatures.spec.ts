import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runIn } from '../support/checkout.js';
import { PROJECT } from '../support/release-contents.js';

/** Runs the check with a program `npm` that answers like `npm audit signatures --json` of npm 11. */
async function check(answer: object, status: number) {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-signatures-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'npm'), `#!/bin/sh\necho '${JSON.stringify(answer)}'\nexit ${status}\n`);
  await chmod(join(folder, 'npm'), 0o755);
  const script = `import { checkSignatures } from '${PROJECT}/scripts/release/signatures.mjs';\ncheckSignatures();`;
  const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
  return runIn(folder, process.execPath, ['--input-type=module', '--eval', script], env).result;
}
const failure = (code: string | null, summary: string) => ({ error: { code, summary, detail: '' } });
const zod = { name: 'zod', version: '4.6.7', location: 'node_modules/zod', registry: 'https://registry.npmjs.org/' };

it('valid signatures pass without a word', async () => {
  expect(await check({ invalid: [], missing: [] }, 0)).toEqual({ status: 0, out: '', err: '' });
});

it.each([
  ['missing', { invalid: [], missing: [zod] }],
  ['invalid', { invalid: [{ ...zod, code: 'EINTEGRITYSIGNATURE' }], missing: [] }],
])('a signature that is %s fails the release and names the package', async (_, answer) => {
  const { status, err } = await check(answer, 1);
  expect(status).toBe(1);
  expect(err).toContain('Error: missing or invalid package signatures: zod@4.6.7\n');
});

it.each(['EMISSINGSIGNATUREKEY', 'EEXPIREDSIGNATUREKEY'])('%s fails the release', async (code) => {
  const { status, err } = await check(failure(code, 'zod@4.6.7 has a registry signature'), 1);
  expect(status).toBe(1);
  expect(err).toContain('Error: invalid package signature: zod@4.6.7 has');
});

it.each([
  ['an unreachable registry', 'ENOTFOUND', 'getaddrinfo ENOTFOUND tuf-repo-cdn.sigstore.dev'],
  ['a registry without keys', null, 'found no dependencies to audit that were installed from a supported registry'],
])('%s causes a warning', async (_, code, summary) => {
  const warning = `Warning: package signatures were not checked: ${summary}\n`;
  expect(await check(failure(code, summary), 1)).toEqual({ status: 0, out: '', err: warning });
});
