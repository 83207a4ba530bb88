import fc from 'fast-check';
import { accessTokensAggregate } from '../src/named-secrets/access-tokens.js';
import { appPasswordsAggregate } from '../src/named-secrets/app-passwords.js';
import { secretIdOf } from '../src/named-secrets/named-secrets.js';
import { MINUTE } from './account.events.js';
import { createAppPassword, createToken } from './named-secrets.events.js';
import { handle, type World } from './world.js';

/** An action of a story on the access tokens or app passwords of an account. */
export type SecretAction =
  | { do: 'create-token' | 'create-app-password'; account: number; name: string; expiresIn: number | null }
  | { do: 'revoke-token' | 'revoke-app-password'; account: number; n: number };

/** Returns arbitrary actions on the secrets of these accounts. */
export const secretAction = (account: fc.Arbitrary<number>): fc.Arbitrary<SecretAction> =>
  fc.oneof(
    fc.record({
      do: fc.constantFrom('create-token', 'create-app-password'),
      account,
      name: fc.constantFrom('backup', 'deploy'),
      expiresIn: fc.constantFrom(null, 5, 30),
    }),
    fc.record({
      do: fc.constantFrom('revoke-token', 'revoke-app-password'),
      account,
      n: fc.integer({ min: 1, max: 4 }),
    }),
  );

/** Carries out an action. */
export function* changeSecrets(world: World, action: SecretAction): Generator<void, void> {
  const { account: accountId } = action;
  switch (action.do) {
    case 'create-token':
      return yield* handle(world, accessTokensAggregate, accountId, () => createToken(action.name, fieldsOf()));
    case 'create-app-password':
      return yield* handle(world, appPasswordsAggregate, accountId, () => createAppPassword(action.name, fieldsOf()));
    case 'revoke-token': {
      const revoked = { type: 'RevokeAccessToken', id: secretIdOf(accountId, action.n) } as const;
      return yield* handle(world, accessTokensAggregate, accountId, () => revoked);
    }
    case 'revoke-app-password': {
      const revoked = { type: 'RevokeAppPassword', id: secretIdOf(accountId, action.n) } as const;
      return yield* handle(world, appPasswordsAggregate, accountId, () => revoked);
    }
  }

  function fieldsOf() {
    const expiresIn = 'expiresIn' in action ? action.expiresIn : null;
    return { accountId, expiresAt: expiresIn === null ? null : world.now + expiresIn * MINUTE, now: world.now };
  }
}
