// Checks the signatures that the npm registry adds to packages, for those that are installed.
import { spawnSync } from 'node:child_process';

/**
 * Warns if the signatures cannot be checked: the key server or the registry is unreachable, or the registry has no keys.
 * @throws if a package has no signature or an invalid one
 */
export function checkSignatures() {
  const { stdout, error: failure } = spawnSync('npm', ['audit', 'signatures', '--json'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (failure) throw failure;
  const { error, missing = [], invalid = [] } = JSON.parse(stdout);
  // npm reports an unknown or expired key as an error of the whole check.
  if (/SIGNATURE|ATTESTATION/.test(error?.code)) throw new Error(`invalid package signature: ${error.summary}`);
  if (error) console.warn(`Warning: package signatures were not checked: ${error.summary}`);
  const names = [...missing, ...invalid].map(({ name, version }) => `${name}@${version}`);
  if (names.length > 0) throw new Error(`missing or invalid package signatures: ${names.join(', ')}`);
}
