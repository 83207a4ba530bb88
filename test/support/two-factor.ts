import type { ApiClient } from './api-client.js';
import { oneTimeCode, stepOf } from './one-time-code.js';

/** The code of a secret now, or so many steps later; the server takes the step before and the step after as well. */
export const codeNow = (secret: string, shift = 0) => oneTimeCode(secret, stepOf(Date.now()) + shift);

/** Turns two-factor on with the code of this step, and answers the secret. */
export async function enrol(member: ApiClient): Promise<string> {
  const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
  (await member.post('/api/auth/2fa/verify', { code: codeNow(secret), secret })).data();
  return secret;
}
