import type { CreateAccessToken } from '@keyfold/domain';
import { accessTokensStream } from '@keyfold/projections';
import { accessTokenText, newAccessTokenSecret } from '@keyfold/security';
import type { EmbeddedService } from './embedded-service.js';

const context = { actor: 'test', correlation: 'test' };

/** Creates a token of the account and returns its text and id. */
export async function createAccessToken(
  { runner, loader, clock }: Pick<EmbeddedService, 'runner' | 'loader' | 'clock'>,
  accountId: number,
  name: string,
  differing: Partial<Pick<CreateAccessToken, 'scopes' | 'expiresAt'>> = {},
): Promise<Readonly<{ text: string; tokenId: number }>> {
  const { secret, hash } = newAccessTokenSecret();
  const fields = { scopes: ['profile:read'], expiresAt: null, ...differing } as const;
  const ref = accessTokensStream(accountId);
  await runner.run(ref, { type: 'CreateAccessToken', accountId, name, ...fields, hash, now: clock.now() }, context);
  const [{ state }] = await loader.load(ref);
  const { id: tokenId } = state.secrets.at(-1)!;
  return { text: accessTokenText(tokenId, secret), tokenId };
}

/** Revokes a token of the account. */
export const revokeAccessToken = ({ runner }: Pick<EmbeddedService, 'runner'>, accountId: number, tokenId: number) =>
  runner.run(accessTokensStream(accountId), { type: 'RevokeAccessToken', id: tokenId }, context);
