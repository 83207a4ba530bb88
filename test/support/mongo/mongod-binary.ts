import { execFileSync } from 'node:child_process';
import { findMongod } from '../programs.js';

/** A mongod that runs on this machine, and a description for the log. */
export type MongodBinary = Readonly<{ path: string; description: string }>;

/** Finds a mongod. Throws if this machine has none. */
export function mongodBinary(): MongodBinary {
  return (found ??= find());
}
let found: MongodBinary | undefined;

function find(): MongodBinary {
  const path = findMongod();
  if (path === undefined) throw new Error('MongoDB was not found: set MONGODB_URI or run "npm run test:setup"');
  const [, version = ''] = /db version v(\S+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
  return { path, description: `mongod ${version} from ${path}` };
}
