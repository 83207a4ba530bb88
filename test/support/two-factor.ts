import type { ApiClient } from './api-client.js';
import { oneTimeCode, stepOf } from './one-time-code.js';

/** Returns the code of a secret now, or `shift` steps later. The server also accepts the previous and the next step. */
export const codeNow = (secret: string, shift = 0) => oneTimeCode(secret, stepOf(Date.now()) + shift);

/** Enables two-factor with the code of the current step and returns the secret. */
export async function enrol(member: ApiClient): Promise<string> {
  const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
  (await member.post('/api/auth/2fa/verify', { code: codeNow(secret), secret })).data();
  return secret;
}
