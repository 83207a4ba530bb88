import { DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { StoreUnavailable } from '@keyfold/event-store';
import { accessTokensStream, accountStream, appPasswordsStream } from '@keyfold/projections';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountState, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, type LoginClient } from '../../testing/login-client.js';
import { createAccessToken, createAppPassword } from '../../testing/named-secrets.js';
import { operator, type Administrator, type Caller } from '../caller/caller.js';
import type { Origin } from '../origin.js';
import {
  RevokeEverythingCommand,
  RevokeEverythingHandler,
  RevokeOwnEverythingCommand,
  RevokeOwnEverythingHandler,
} from './revoke-everything.js';
import { SecretRevocation } from './secret-revocation.js';

const request: Origin = { correlation: 'request-1' };
const repeatable: Origin = { ...request, commandId: 'request:7', requestHash: 'hash' };

let service: EmbeddedService;
let client: LoginClient;
/** Counts the commits down. The one that makes it 0 fails. */
let untilFailure: number;

beforeEach(async () => {
  untilFailure = Number.POSITIVE_INFINITY;
  const listener = (call: string) => {
    if (call === 'EventStore.append' && --untilFailure === 0) throw new StoreUnavailable('the store is down');
  };
  ({ service, client } = await clientWithAnn(new EmbeddedService(undefined, listener)));
  for (const [id, name] of [
    [7, 'ann'],
    [8, 'bea'],
  ] as const) {
    if (id !== 7) await registerAccount(service, id, name);
    for (const each of ['one', 'two']) {
      await createAccessToken(service, id, `${name} ${each}`);
      await createAppPassword(service, id, `${name} ${each}`);
    }
  }
});

const revocation = () => new SecretRevocation(service.runner, service.loader, service.clock);
const revokeOwn = (caller: Caller, origin = request) =>
  new RevokeOwnEverythingHandler(service.runner, revocation()).execute(new RevokeOwnEverythingCommand(caller, origin));
const revokeAs = (caller: Administrator, accountId: number, origin = request) =>
  new RevokeEverythingHandler(service.runner, revocation()).execute(
    new RevokeEverythingCommand(caller, accountId, origin),
  );

const identify = (token: string) => service.identifier().identify(token, 'account', () => request);
const loggedIn = async () => identify(await client.logIn());

/** Returns how often sessions were evicted, and the numbers of access tokens and app passwords. */
async function leftOf(accountId: number): Promise<[evictions: number, tokens: number, passwords: number]> {
  const [account, tokens, passwords] = await service.loader.load(
    accountStream(accountId),
    accessTokensStream(accountId),
    appPasswordsStream(accountId),
  );
  return [account.state.generation - 1, tokens.state.secrets.length, passwords.state.secrets.length];
}

describe('revoking everything', () => {
  it('ends the sessions of the caller first, the current one included, and then the secrets', async () => {
    const tokens = [await client.logIn(), await client.logIn()];
    await revokeOwn(await identify(tokens[0]!));
    expect(await leftOf(7)).toEqual([1, 0, 0]);
    for (const token of tokens) await expect(identify(token)).rejects.toThrow('token-invalidated');
    const revoked = service.reported.filter(({ account, name }) => account === 7 && name !== 'authn_token_created');
    expect(revoked.map(({ name, about }) => `${name} ${about!.slice(1).join()}`).slice(-5)).toEqual([
      'user_updated 7,sessions_evicted',
      expect.stringMatching(/^authn_token_revoked \d+$/),
      expect.stringMatching(/^authn_token_revoked \d+$/),
      expect.stringMatching(/^authn_token_revoked app_password,\d+$/),
      expect.stringMatching(/^authn_token_revoked app_password,\d+$/),
    ]);
    expect(await leftOf(8)).toEqual([0, 2, 2]);
  });

  it('has no further effect when an administrator repeats it, except on new sessions', async () => {
    await revokeAs(operator, 7);
    const token = await client.logIn();
    await revokeAs(operator, 7);
    expect(await leftOf(7)).toEqual([2, 0, 0]);
    await expect(identify(token)).rejects.toThrow('token-invalidated');
  });

  it('is refused without a session', async () => {
    const account = await accountState(service, 7);
    await expect(revokeOwn({ account, accountVersion: 1, by: 'static-token' })).rejects.toThrow(
      'revocation-session-required',
    );
    const guest = { ...account, role: ROLE_GUEST };
    await expect(revokeOwn({ account: guest, accountVersion: 1, by: 'session' })).rejects.toThrow(
      'guest-has-no-sessions',
    );
    expect(await leftOf(7)).toEqual([0, 2, 2]);
  });

  it('is refused for a session that has ended meanwhile', async () => {
    const caller = await loggedIn();
    await revokeAs(operator, 7);
    await createAccessToken(service, 7, 'new');
    await expect(revokeOwn(caller)).rejects.toThrow('token-invalidated');
    expect(await leftOf(7)).toEqual([1, 1, 0]);
  });

  it('is refused for an unknown account, and for an administrator to an access token', async () => {
    await registerAccount(service, 9, 'root', { role: ROLE_ADMIN });
    await createAccessToken(service, 9, 'kept');
    const program: Caller = { account: await accountState(service, 9), accountVersion: 1, by: 'access-token' };
    await expect(revokeAs(program, 9)).rejects.toThrow('admin-unchangeable-by-token');
    await expect(revokeAs(operator, 10)).rejects.toThrow('account-not-found');
    expect(await leftOf(9)).toEqual([0, 1, 0]);
    await revokeAs(program, 7);
    expect(await leftOf(7)).toEqual([1, 0, 0]);
  });
});

describe('a failure of the store', () => {
  it.each([
    ['before the first commit', 1, [0, 2, 2]],
    ['after the sessions', 2, [1, 2, 2]],
    ['after the access tokens', 3, [1, 0, 2]],
  ] as const)('%s leaves no answer, and a repetition finishes', async (_, commit, left) => {
    const caller = await loggedIn();
    untilFailure = commit;
    await expect(revokeOwn(caller, repeatable)).rejects.toThrow(StoreUnavailable);
    expect(await leftOf(7)).toEqual(left);
    // The key of an unfinished request is not used up, so a repetition is no mere replay.
    expect(await service.store.findCommand('request:7')).toBeUndefined();
    const again = await loggedIn();
    await revokeOwn(again, repeatable);
    expect((await leftOf(7)).slice(1)).toEqual([0, 0]);
    await expect(revokeOwn(again)).rejects.toThrow(DomainError);
    expect(await service.store.findCommand('request:7')).toBeDefined();
  });
});

it.each([
  ['both kinds', ['tokens', 'passwords'], 'RevokeAllAppPasswords'],
  ['access tokens only', ['tokens'], 'RevokeAllAccessTokens'],
  ['no secrets', [], 'EvictSessions'],
] as const)('the key of a request for an account with %s belongs to the last commit', async (_, owned, command) => {
  await registerAccount(service, 9, 'cid');
  for (const each of owned) await (each === 'tokens' ? createAccessToken : createAppPassword)(service, 9, 'one');
  await revokeAs(operator, 9, repeatable);
  expect(await leftOf(9)).toEqual([1, 0, 0]);
  expect((await service.store.findCommand('request:7'))?.command.type).toBe(command);
});
