import type { CreateAppPassword } from '@keyfold/domain';
import { appPasswordsStream } from '@keyfold/projections';
import { newAppPassword } from '@keyfold/security';
import type { EmbeddedService } from './embedded-service.js';

const context = { actor: 'test', correlation: 'test' };

/** Creates an app password of the account and returns its text and id. */
export async function createAppPassword(
  { runner, loader, clock }: Pick<EmbeddedService, 'runner' | 'loader' | 'clock'>,
  accountId: number,
  name: string,
  differing: Partial<Pick<CreateAppPassword, 'protocol' | 'expiresAt'>> = {},
): Promise<Readonly<{ text: string; appPasswordId: number }>> {
  const { text, hash } = newAppPassword();
  const fields = { protocol: 'webdav', expiresAt: null, ...differing } as const;
  const ref = appPasswordsStream(accountId);
  await runner.run(ref, { type: 'CreateAppPassword', accountId, name, ...fields, hash, now: clock.now() }, context);
  const [{ state }] = await loader.load(ref);
  return { text, appPasswordId: state.secrets.at(-1)!.id };
}

/** Revokes an app password of the account. */
export const revokeAppPassword = (
  { runner }: Pick<EmbeddedService, 'runner'>,
  accountId: number,
  appPasswordId: number,
) => runner.run(appPasswordsStream(accountId), { type: 'RevokeAppPassword', id: appPasswordId }, context);
