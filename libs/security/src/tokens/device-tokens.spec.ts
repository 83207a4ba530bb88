import { JwtService } from '@nestjs/jwt';
import { describe, expect, it } from 'vitest';
import { DeviceTokens } from './device-tokens.js';
import { EarlierTokenSecrets, TokenSigner } from './token-signer.js';

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);
const jwt = new JwtService({ secret: 'a secret of more than thirty-two letters' });
const devices = new DeviceTokens(jwt);
const sessions = new TokenSigner(jwt, { issuer: 'keyfold', lifetimeHours: 48 });
const ann = { accountId: 7, nameHash: 'hash of ann' };

describe('a device token', () => {
  it('identifies a device and its account for 90 days', () => {
    const token = devices.sign({ ...ann, id: 'laptop' }, NOON);
    expect(devices.read(token, NOON)).toEqual({ ...ann, id: 'laptop' });
    expect(devices.read(token, NOON + 90 * DAY - 1_000)).toEqual({ ...ann, id: 'laptop' });
    expect(devices.read(token, NOON + 90 * DAY)).toBeUndefined();
  });

  it('names the two-factor enrolment whose code the device passed', () => {
    const device = { ...ann, id: 'laptop', enrolment: 2 };
    expect(devices.read(devices.sign(device, NOON), NOON)).toEqual(device);
  });

  it('gives a device without an id a new one', () => {
    const [one, two] = [devices.sign(ann, NOON), devices.sign(ann, NOON)].map((token) => devices.read(token, NOON)!.id);
    expect(one).toMatch(/^[\w-]{36}$/);
    expect(one).not.toBe(two);
  });

  it.each(['', 'x', 'a.b.c'])('is refused if it is malformed (%j)', (token) => {
    expect(devices.read(token, NOON)).toBeUndefined();
  });

  it('is refused if it was signed with another secret', () => {
    const other = new DeviceTokens(new JwtService({ secret: 'another secret of more than thirty-two letters' }));
    expect(devices.read(other.sign(ann, NOON), NOON)).toBeUndefined();
  });

  it('is accepted if it was signed with an earlier secret', () => {
    const earlier = new JwtService({ secret: 'an earlier secret of more than thirty-two letters' });
    const rotated = new DeviceTokens(jwt, new EarlierTokenSecrets([earlier]));
    expect(rotated.read(new DeviceTokens(earlier).sign({ ...ann, id: 'laptop' }, NOON), NOON)?.id).toBe('laptop');
  });

  it('is not a session token, and vice versa', () => {
    const session = sessions.sign({ accountId: 7, sessionId: 's', username: 'ann', passwordTimestamp: 0, now: NOON });
    expect(devices.read(session, NOON)).toBeUndefined();
    expect(sessions.read(devices.sign(ann, NOON))).toBeUndefined();
  });
});
