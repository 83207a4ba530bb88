import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  DomainError,
  isSealedSetting,
  requireSettingKey,
  requireSuitableApiToken,
  type ChangeSettings,
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
    settings.forEach(requireAcceptable);
    const [{ state }] = await this.loader.load(siteSettingsStream);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(siteSettingsStream, this.#change(settings, state), context);
  }

  /** Seals secrets, and leaves out those that already have this value, because a sealed text never equals another one. */
  #change(settings: readonly SettingInput[], state: SiteSettings): ChangeSettings {
    const values = settings.filter(({ key }) => !isSealedSetting(key)).map(({ key, value }) => [key, value] as const);
    const wanted = new Map(settings.filter(({ key }) => isSealedSetting(key)).map(({ key, value }) => [key, value]));
    const token = wanted.get(API_TOKEN_KEY);
    wanted.delete(API_TOKEN_KEY);
    const changed = [...wanted].filter(([key, value]) => this.secrets.valueOf(state, key) !== value);
    const changesToken = token !== undefined && token !== this.secrets.apiTokenOf(state);
    return {
      type: 'ChangeSettings',
      values,
      sealedValues: Object.fromEntries(changed.map(([key, value]) => [key, this.secrets.sealValue(key, value)])),
      ...(changesToken && { sealedApiToken: this.secrets.sealApiToken(token) }),
    };
  }
}

/** Checks what the decider cannot see or compile: sealed values and patterns. */
function requireAcceptable({ key, value }: SettingInput): void {
  requireSettingKey(key);
  if (key === API_TOKEN_KEY) requireSuitableApiToken(value);
  if (key === 'privacy_regs') requirePatterns(value);
}

function requirePatterns(patterns: string): void {
  try {
    new PrivacyMask(patterns);
  } catch (error) {
    if (!(error instanceof InvalidPatterns)) throw error;
    throw DomainError.quoting('privacy-patterns-invalid', error.message);
  }
}
