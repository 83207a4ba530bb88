import { execFileSync } from 'node:child_process';

/** The code that another implementation makes of a base32 secret at a time in seconds since 1970. */
export function oathtoolCode(secret: string, second: number): string {
  const words = ['--totp', '--base32', `--now=@${second}`, secret];
  return execFileSync('oathtool', words, { encoding: 'utf8' }).trim();
}
