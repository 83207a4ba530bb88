import { execFileSync } from 'node:child_process';

/** The code that oathtool, another implementation, makes of a secret in base32 at a time in unix seconds. */
export const oathCode = (secret: string, second: number): string =>
  oathtool('--totp', '--base32', '--now', `@${second}`, secret).trim();

/** Throws a sentence that says what to install where oathtool is missing. */
export const requireOathtool = (): void => void oathtool('--version');

function oathtool(...parameters: string[]): string {
  try {
    return execFileSync('oathtool', parameters, { encoding: 'utf8' });
  } catch (cause) {
    throw new Error('oathtool is missing or refused: install it (apt-get install oathtool)', { cause });
  }
}
