import { StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn } from '../../testing/login-client.js';
import { LoginCounts } from './login-outcomes.js';

describe('login checks', () => {
  it('of a password are accepted, refused, or throttled', async () => {
    const { client } = await clientWithAnn();
    await client.outcome();
    await client.outcome({ username: 'nobody' });
    for (let n = 0; n < 7; n++) await client.outcome({ password: 'wrong' });
    expect(client.attempts).toEqual({ 'password accepted': 1, 'password refused': 6, 'password throttled': 2 });
  });

  it('of a code are counted in addition to the password check, and a code that is not given is missing', async () => {
    const { client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    const code = client.code();
    for (const each of ['', client.wrongCode(), code]) await client.outcome({ code: each });
    // The enrolment has spent this code.
    expect(client.attempts).toEqual({
      'password accepted': 3,
      'one_time_code missing': 1,
      'one_time_code refused': 2,
    });
  });

  it('that could not be made are counted as failed', async () => {
    const service = new EmbeddedService(undefined, (call) => {
      if (call === 'PasswordHasher.verify') throw new StoreUnavailable('away');
    });
    const { client } = await clientWithAnn(service);
    await expect(client.outcome()).rejects.toThrow('away');
    expect(client.attempts).toEqual({ 'password failed': 1 });
  });

  it('have counts for each factor and outcome from the start', () => {
    const all = new LoginCounts().all();
    expect(all).toHaveLength(10);
    expect(all.every(({ count }) => count === 0)).toBe(true);
  });
});
