import { DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { sessionStream, siteSettingsStream } from '@keyfold/projections';
import { JwtService } from '@nestjs/jwt';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginClient } from '../../testing/login-client.js';
import { sealingContext } from '../secrets/sealing.js';
import type { SecurityEvent } from './security-log.js';
import { CallerIdentifier } from '../caller/caller-identifier.js';

const STATIC_TOKEN = 'openlist-static-token';
const context = { actor: 'test', correlation: 'test' };
const origin = { correlation: 'request-1', address: '192.0.2.7' };

let service: EmbeddedService;
let client: LoginClient;
let reported: SecurityEvent[];

// The accounts are the admin, the enabled guest and ann (7).
beforeEach(async () => {
  service = new EmbeddedService();
  client = new LoginClient(service);
  reported = [];
  await registerAccount(service, 1, 'admin', { role: ROLE_ADMIN });
  await registerAccount(service, 2, 'guest', { role: ROLE_GUEST });
  await registerAccount(service, 7, 'ann');
});

function identify(header: string) {
  const { loader, tokens, sealer, clock, activity } = service;
  const security = { report: (event: SecurityEvent) => void reported.push(event) };
  return new CallerIdentifier(loader, tokens, sealer, clock, security, activity).identify(
    header,
    'account',
    () => origin,
  );
}
const refuse = (header: string) => expect(identify(header)).rejects.toEqual(new DomainError('token-invalidated'));
function resetStaticToken(token: string) {
  const sealedToken = service.sealer.seal(token, sealingContext.staticToken);
  return service.runner.run(siteSettingsStream, { type: 'ResetStaticToken', sealedToken }, context);
}
const forged = (about: string) => ({ name: 'authn_token_forged', about: [about], outcome: 'refused', origin });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withOtherSignature = (token: string) =>
  token.replace(/[^.]+$/, (text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1));
const claims = encoded({ sub: '1', jti: 's', iss: 'keyfold' });

describe('the security log records', () => {
  it('each use of the static token', async () => {
    await resetStaticToken(STATIC_TOKEN);
    for (const header of [STATIC_TOKEN, `Bearer ${STATIC_TOKEN}`]) await identify(header);
    const use = { name: 'authn_token_use', about: [1, 'static'], account: 1, outcome: 'accepted', origin };
    expect(reported).toEqual([use, use]);
  });

  it('a refused static token, but no part of its text', async () => {
    await resetStaticToken(STATIC_TOKEN);
    await refuse('openlist-g0essed');
    await refuse('g0essed');
    expect(reported).toEqual([
      { name: 'authn_token_fail', about: ['static'], outcome: 'refused', origin },
      { name: 'authn_token_fail', about: ['unknown'], outcome: 'refused', origin },
    ]);
    expect(JSON.stringify(reported)).not.toContain('g0essed');
  });

  it.each([
    ['bad_signature', 'another secret', () => new JwtService({ secret: 'x'.repeat(32) }).sign({ iss: 'keyfold' })],
    ['bad_signature', 'a modified signature', async () => withOtherSignature(await client.logIn())],
    ['wrong_algorithm', 'no algorithm', () => `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.`],
    ['wrong_algorithm', 'HS512', () => new JwtService({ secret: 'x'.repeat(64) }).sign({}, { algorithm: 'HS512' })],
    ['bad_claims', 'our signature over foreign claims', () => service.signWithOurSecret({ iss: 'other' })],
  ])('%s for a token with %s', async (flaw, _, token) => {
    await refuse(await token());
    expect(reported).toEqual([forged(flaw)]);
  });

  it('nothing for the guest, a session, or a session that has ended', async () => {
    const token = await client.logIn();
    await identify(token);
    await identify('');
    const ref = sessionStream(service.tokens.read(token)!.jti, 7);
    await service.runner.run(ref, { type: 'EndSession', reason: 'logout' }, context);
    await refuse(token);
    expect(reported).toEqual([]);
  });
});
