import { StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginDesk } from '../../testing/login-desk.js';
import { LoginCounts } from './login-counts.js';

async function deskWithAnn(service = new EmbeddedService()) {
  await registerAccount(service, 7, 'ann');
  return new LoginDesk(service);
}

describe('checks at a login', () => {
  it('of a password are accepted, refused, or throttled', async () => {
    const desk = await deskWithAnn();
    await desk.outcome();
    await desk.outcome({ username: 'nobody' });
    for (let n = 0; n < 7; n++) await desk.outcome({ password: 'wrong' });
    expect(desk.attempts).toEqual({ 'password accepted': 1, 'password refused': 6, 'password throttled': 2 });
  });

  it('of a code count beside the right password before them; one that is not given is missing', async () => {
    const desk = await deskWithAnn();
    await desk.enableTwoFactor(7);
    const code = desk.code();
    for (const each of ['', desk.wrongCode(), code]) await desk.outcome({ code: each });
    // The enrolment has used this code, so a login cannot.
    expect(desk.attempts).toEqual({
      'password accepted': 3,
      'one_time_code missing': 1,
      'one_time_code refused': 2,
    });
  });

  it('that could not be made have failed', async () => {
    const service = new EmbeddedService(undefined, (call) => {
      if (call === 'PasswordHasher.verify') throw new StoreUnavailable('away');
    });
    const desk = await deskWithAnn(service);
    await expect(desk.outcome()).rejects.toThrow('away');
    expect(desk.attempts).toEqual({ 'password failed': 1 });
  });

  it('are told of each factor with each outcome, before any was made', () => {
    const all = new LoginCounts().all();
    expect(all).toHaveLength(10);
    expect(all.every(({ count }) => count === 0)).toBe(true);
  });
});
