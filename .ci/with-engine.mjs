// node .ci/with-engine.mjs <command>: runs a command with the Docker engine that answers, or the one of `npm run test:setup`. `{node}` in it is the
// image of Node that deploy/Dockerfile names.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { PrivateEngine } from '../test/support/docker/private-engine.ts';
import { buildStandIns, foreignImages } from '../test/support/docker/stand-ins.ts';
import { dockerFolder, findMongod, hasEngine, searchPath } from '../test/support/programs.ts';

const image = foreignImages.find((reference) => reference.startsWith('node:'));
const [program, ...words] = process.argv.slice(2).map((word) => (word === '{node}' ? image : word));
const run = (env) => spawnSync(program, words, { env, stdio: 'inherit' }).status ?? 1;

if (hasEngine()) process.exit(run(process.env));
const engine = new PrivateEngine(dockerFolder);
const env = { ...process.env, ...engine.environment, PATH: `${engine.environment.PATH}:${searchPath}` };
const stop = await engine.start();
try {
  buildStandIns(env, dirname(findMongod() ?? ''));
  process.exitCode = run(env);
} finally {
  await stop();
}
