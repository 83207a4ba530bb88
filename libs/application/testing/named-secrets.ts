import type { AccessToken, AppPassword } from '@keyfold/domain';
import { accessTokenKind, appPasswordKind, type SecretKind } from '../src/named-secrets/secret-kinds.js';
import type { SecretInput } from '../src/named-secrets/own-secrets.js';
import type { EmbeddedService } from './embedded-service.js';

const context = { actor: 'test', correlation: 'test' };
type Service = Pick<EmbeddedService, 'runner' | 'clock'>;
export type NewSecret = Readonly<{ id: number; text: string }>;

/** Creates an access token of the account. */
export const createAccessToken = (
  service: Service,
  accountId: number,
  name: string,
  differing: Partial<Pick<AccessToken, 'scopes' | 'expiresAt'>> = {},
): Promise<NewSecret> =>
  create(service, accessTokenKind, accountId, { name, scopes: ['profile:read'], expiresAt: null, ...differing });

/** Creates an app password of the account. */
export const createAppPassword = (
  service: Service,
  accountId: number,
  name: string,
  differing: Partial<Pick<AppPassword, 'protocol' | 'expiresAt'>> = {},
): Promise<NewSecret> =>
  create(service, appPasswordKind, accountId, { name, protocol: 'webdav', expiresAt: null, ...differing });

async function create<Details>(
  { runner, clock }: Service,
  { streamOf, commands, generate }: SecretKind<Details>,
  accountId: number,
  input: SecretInput<Details>,
): Promise<NewSecret> {
  const { hash, textOf } = generate();
  const command = { type: commands.create, accountId, ...input, hash, now: clock.now() };
  const { state } = await runner.run(streamOf(accountId), command, context);
  const { id } = state.secrets.at(-1)!;
  return { id, text: textOf(id) };
}

/** Revokes a secret of the account. */
export const revokeSecret = <Details>(
  { runner, clock }: Service,
  { streamOf, commands }: SecretKind<Details>,
  accountId: number,
  id: number,
) => runner.run(streamOf(accountId), { type: commands.revoke, id, now: clock.now() }, context);
