import { ADMIN_ID, GUEST_ID, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { EventStore } from '@keyfold/event-store';
import { accountStream, siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { randomInt, randomUUID } from 'node:crypto';
import { NewPasswords } from './accounts/new-passwords.js';
import { CommandRunner } from './command-runner.js';
import { sealedFor } from './sealed-for.js';
import { requireSealingKey } from './sealing-key-check.js';
import { UserNames } from './user-names.js';

/** Bits 0-8, 12, 13 and 14 (wire contract 3.1). */
const ADMIN_PERMISSION = 0x71ff;
const FIRST_PASSWORD_LETTERS = 16;
const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const ACTOR = 'first-start';

const context = (step: string) => ({
  actor: ACTOR,
  correlation: 'first-start',
  commandId: `first-start:${step}`,
});

/** Makes the admin, the guest and the static token where they are missing; starting again changes nothing. */
export class FirstStart {
  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
    private readonly commands: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
    private readonly sealer: Sealer,
  ) {}

  /**
   * When this start makes the admin and nobody chose a password, `announce` hears the one that was made before it is stored, so that
   * a crash cannot leave an admin whose password nobody saw. Throws `UnknownSealingKey` or `SealBroken` when the data was sealed
   * with another key, and `password-too-short` or `password-too-common` for a chosen password.
   */
  async run(chosenPassword: string | undefined, announce: (password: string) => void): Promise<void> {
    // Without the key every login would fail: better to say so at the start.
    await requireSealingKey(this.loader, this.sealer);
    if (!(await this.store.findCommand(context('admin').commandId))) {
      if (chosenPassword === undefined) announce(this.#firstPassword());
      const { sealedHash } =
        chosenPassword === undefined
          ? await this.passwords.makeUnchecked(this.#firstPassword(), ADMIN_ID, ACTOR)
          : await this.passwords.make(chosenPassword, ADMIN_ID, ACTOR);
      await this.#register('admin', ADMIN_ID, ROLE_ADMIN, ADMIN_PERMISSION, sealedHash);
    }
    if (!(await this.store.findCommand(context('guest').commandId))) {
      const { sealedHash } = await this.passwords.makeUnchecked('guest', GUEST_ID, ACTOR);
      await this.#register('guest', GUEST_ID, ROLE_GUEST, 0, sealedHash);
    }
    const token = `openlist-${randomUUID()}${randomText(64)}`;
    const command = { type: 'ResetApiToken', sealedToken: this.sealer.seal(token, sealedFor.apiToken) } as const;
    await this.commands.run(siteSettingsStream, command, context('api-token'));
  }

  /** Several gateways that start at once must announce one password, so it follows from the key that they share. */
  #firstPassword(): string {
    const bytes = this.sealer.derive('first password of the admin', 2 * FIRST_PASSWORD_LETTERS);
    const letters = Array.from({ length: FIRST_PASSWORD_LETTERS }, (_, index) => bytes.readUInt16BE(2 * index));
    return letters.map((number) => ALPHANUMERICS[number % ALPHANUMERICS.length]).join('');
  }

  async #register(username: string, accountId: number, role: number, permission: number, sealedHash: string) {
    const command = {
      type: 'RegisterAccount',
      origin: 'first-start',
      accountId,
      name: await this.names.claim(username),
      // compat: tokens of the first accounts carry 0 as the time of the password.
      password: { sealedHash, timestamp: 0 },
      role,
      basePath: '/',
      permission,
      disabled: role === ROLE_GUEST,
      ssoId: '',
      allowLdap: true,
    } as const;
    await this.commands.run(accountStream(accountId), command, context(username));
  }
}

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join('');
