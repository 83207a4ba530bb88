import { execFileSync } from 'node:child_process';
import { needs } from './needs.js';

await needs('oathtool');

/** Returns the code that another implementation computes for a base32 secret at a Unix time in seconds. */
export function oathtoolCode(secret: string, second: number): string {
  const words = ['--totp', '--base32', `--now=@${second}`, secret];
  return execFileSync('oathtool', words, { encoding: 'utf8' }).trim();
}
