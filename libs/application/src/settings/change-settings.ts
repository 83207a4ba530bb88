import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  DomainError,
  isSealedSetting,
  requireSettingKey,
  requireSuitableApiToken,
  type ChangeSettings,
  type NewSecret,
  type SiteSettings,
} from '@keyfold/domain';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { InvalidPatterns, PrivacyMask } from '@keyfold/security';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { API_TOKEN_KEY } from './setting-list.js';
import { SettingSecrets } from './setting-secrets.js';

/** A setting and its new value. */
export type SettingInput = Readonly<{ key: string; value: string }>;

/** Saves values of settings on behalf of an administrator. If a key occurs twice, its last value wins. Refuses all of them or none. */
export class ChangeSettingsCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly settings: readonly SettingInput[],
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(ChangeSettingsCommand)
export class ChangeSettingsHandler implements ICommandHandler<ChangeSettingsCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly secrets: SettingSecrets,
  ) {}

  async execute({ caller, settings, origin }: ChangeSettingsCommand): Promise<void> {
    if (settings.length === 0) throw new DomainError('no-settings-to-save');
    for (const { key } of settings) requireSettingKey(key);
    settings.forEach(requireAcceptable);
    const [{ state }] = await this.loader.load(siteSettingsStream);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(siteSettingsStream, this.#change(settings, state), context);
  }

  /** Seals secrets, and compares them with the stored ones, because the decider cannot open them. */
  #change(settings: readonly SettingInput[], state: SiteSettings): ChangeSettings {
    const values = settings.filter(({ key }) => !isSealedSetting(key)).map(({ key, value }) => [key, value] as const);
    const wanted = new Map(settings.filter(({ key }) => isSealedSetting(key)).map(({ key, value }) => [key, value]));
    const token = wanted.get(API_TOKEN_KEY);
    wanted.delete(API_TOKEN_KEY);
    const secrets = [...wanted].map(([key, value]): [string, NewSecret] => [
      key,
      this.secrets.valueToSave(state, key, value),
    ]);
    return {
      type: 'ChangeSettings',
      values,
      sealedValues: Object.fromEntries(secrets),
      ...(token !== undefined && { sealedApiToken: this.secrets.apiTokenToSave(state, token) }),
    };
  }
}

/** Checks the values that the decider cannot check, because they are sealed or need a compiler. */
function requireAcceptable({ key, value }: SettingInput): void {
  if (key === API_TOKEN_KEY) requireSuitableApiToken(value);
  if (key === 'privacy_regs') requirePatterns(value);
}

function requirePatterns(patterns: string): void {
  try {
    new PrivacyMask(patterns);
  } catch (error) {
    if (!(error instanceof InvalidPatterns)) throw error;
    throw new DomainError('privacy-patterns-invalid', { quoted: error.message });
  }
}
