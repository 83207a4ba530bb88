import { execFileSync } from 'node:child_process';

/** Throws a sentence that says what to install where curl is missing. */
export function requireCurl(): void {
  try {
    execFileSync('curl', ['--version']);
  } catch (cause) {
    throw new Error('curl is missing: install it (apt-get install curl)', { cause });
  }
}
