import { Injectable } from '@nestjs/common';
import { ADMIN_ID, GUEST_ID, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { EventStore } from '@keyfold/event-store';
import { accountStream, siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { NewPasswords } from './new-passwords.js';
import { CommandRunner, type CommandContext } from '../commands/command-runner.js';
import { ALPHANUMERICS, SettingSecrets } from '../settings/setting-secrets.js';
import { requireSealingKey } from '../secrets/sealing.js';
import { UserNames } from '../login/user-names.js';

/** Bits 0-8, 12, 13 and 14 (wire contract 3.1). */
const ADMIN_PERMISSION = 0x71ff;
const FIRST_PASSWORD_LETTERS = 16;

const ACTOR = 'first-start';

/** The command id of the commit that registers the admin, and its causation if somebody chose the password. */
export const ADMIN_REGISTRATION = 'first-start:admin';
export const CHOSEN_PASSWORD = 'chosen-password';

const context = (step: string) => ({
  actor: ACTOR,
  correlation: 'first-start',
  commandId: `first-start:${step}`,
});

/** Creates the admin, the guest and the static token if they are missing. Further starts change nothing. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
    private readonly sealer: Sealer,
    private readonly secrets: SettingSecrets,
  ) {}

  /**
   * Runs at every start of a gateway. If it creates the admin without a chosen password, it calls `announce` with the generated one
   * before storing it, so that a crash cannot leave an admin whose password was never shown.
   *
   * @throws `UnknownSealingKey` or `SealBroken` if the data was sealed with another key; `password-too-short` or `password-too-common`
   * for a chosen password.
   */
  async run(chosenPassword: string | undefined, announce: (password: string) => void): Promise<void> {
    // Without the key every login would fail, so the start fails instead.
    await requireSealingKey(this.loader, this.sealer);
    if (!(await this.store.findCommand(ADMIN_REGISTRATION))) {
      if (chosenPassword === undefined) announce(this.#firstPassword());
      const { sealedHash } =
        chosenPassword === undefined
          ? await this.passwords.makeUnchecked(this.#firstPassword(), ADMIN_ID, ACTOR)
          : await this.passwords.make(chosenPassword, ADMIN_ID, ACTOR);
      const cause = chosenPassword === undefined ? {} : { causation: CHOSEN_PASSWORD };
      await this.#register('admin', ADMIN_ID, ROLE_ADMIN, ADMIN_PERMISSION, sealedHash, cause);
    }
    if (!(await this.store.findCommand(context('guest').commandId))) {
      const { sealedHash } = await this.passwords.makeUnchecked('guest', GUEST_ID, ACTOR);
      await this.#register('guest', GUEST_ID, ROLE_GUEST, 0, sealedHash);
    }
    const sealedToken = this.secrets.sealStaticToken(this.secrets.newStaticToken());
    const command = { type: 'ResetStaticToken', sealedToken } as const;
    await this.runner.run(siteSettingsStream, command, context('static-token'));
  }

  /** Derives the password from the shared sealing key, because gateways that start concurrently must announce the same one. */
  #firstPassword(): string {
    const bytes = this.sealer.derive('first password of the admin', 2 * FIRST_PASSWORD_LETTERS);
    const letters = Array.from({ length: FIRST_PASSWORD_LETTERS }, (_, index) => bytes.readUInt16BE(2 * index));
    return letters.map((number) => ALPHANUMERICS[number % ALPHANUMERICS.length]).join('');
  }

  async #register(
    username: string,
    accountId: number,
    role: number,
    permission: number,
    sealedHash: string,
    cause: Pick<CommandContext, 'causation'> = {},
  ) {
    const command = {
      type: 'RegisterAccount',
      origin: 'first-start',
      accountId,
      name: await this.names.claim(username),
      // compat: the tokens of the first accounts contain 0 as the time of the password.
      password: { sealedHash, timestamp: 0 },
      role,
      basePath: '/',
      permission,
      disabled: role === ROLE_GUEST,
      ssoId: '',
      allowLdap: true,
    } as const;
    await this.runner.run(accountStream(accountId), command, { ...context(username), ...cause });
  }
}
