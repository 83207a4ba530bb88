import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  DomainError,
  isSealedSetting,
  requireSettingKey,
  requireSuitableStaticToken,
  siteSettingsDecider,
  type ChangeSettings,
  type NewSecret,
  type SiteSettings,
  type SiteSettingsEvent,
} from '@keyfold/domain';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { InvalidPatterns, PrivacyMask } from '@keyfold/security';
import { contextOf, type Administrator } from '../caller/caller.js';
import { CallerCommand } from '../caller/caller-command.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { SettingList } from './setting-list.js';
import { SettingSecrets, standsForSecret, STATIC_TOKEN_KEY, UNREADABLE_SECRET } from './setting-secrets.js';

export type SettingInput = Readonly<{ key: string; value: string }>;

/**
 * Returns the command that saves the values. It seals secrets, and compares them with the stored ones, because the decider cannot open
 * them.
 *
 * @throws the refusal of a value that the decider cannot check.
 */
export function changeOf(
  saved: readonly SettingInput[],
  settings: SiteSettings,
  secrets: SettingSecrets,
): ChangeSettings {
  if (saved.length === 0) throw new DomainError('no-settings-to-save');
  for (const { key } of saved) requireSettingKey(key);
  const inputs = saved.filter((input) => !standsForSecret(input));
  inputs.forEach(requireAcceptable);
  const values = inputs.filter(({ key }) => !isSealedSetting(key)).map(({ key, value }) => [key, value] as const);
  const wanted = new Map(inputs.filter(({ key }) => isSealedSetting(key)).map(({ key, value }) => [key, value]));
  const token = wanted.get(STATIC_TOKEN_KEY);
  wanted.delete(STATIC_TOKEN_KEY);
  const sealed = [...wanted].map(([key, value]): [string, NewSecret] => [
    key,
    secrets.valueToSave(settings, key, value),
  ]);
  return {
    type: 'ChangeSettings',
    values,
    sealedValues: Object.fromEntries(sealed),
    ...(token !== undefined && { sealedStaticToken: secrets.staticTokenToSave(settings, token) }),
  };
}

/** Checks the values that the decider cannot check, because they are sealed or need a compiler. */
function requireAcceptable({ key, value }: SettingInput): void {
  if (key === STATIC_TOKEN_KEY) requireSuitableStaticToken(value);
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
    const [{ state }] = await this.loader.load(siteSettingsStream);
    await this.runner.run(siteSettingsStream, changeOf(settings, state, this.secrets), contextOf(caller, origin));
  }
}

/** The value of a setting before and after a save. `from` is undefined for a new setting, or a secret that no key opens. */
export type SettingChange = Readonly<{ key: string; from: string | undefined; to: string }>;

/** Returns the changes that `ChangeSettingsCommand` would make now, secrets included. Changes nothing. */
export class PreviewSettingsQuery extends Query<readonly SettingChange[]> {
  constructor(readonly settings: readonly SettingInput[]) {
    super();
  }
}

/** @throws the refusals of `ChangeSettingsHandler`. */
@QueryHandler(PreviewSettingsQuery)
export class PreviewSettingsHandler implements IQueryHandler<PreviewSettingsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly secrets: SettingSecrets,
    private readonly list: SettingList,
  ) {}

  async execute({ settings }: PreviewSettingsQuery): Promise<readonly SettingChange[]> {
    const [{ state }] = await this.loader.load(siteSettingsStream);
    const { events } = siteSettingsDecider.decide(state, changeOf(settings, state, this.secrets));
    const after = events.reduce(siteSettingsDecider.evolve, state);
    return events.flatMap(changedKeys).map((key) => ({
      key,
      from: this.#valueIn(state, key),
      to: this.#valueIn(after, key) ?? '',
    }));
  }

  #valueIn(settings: SiteSettings, wanted: string): string | undefined {
    const value = this.list.current(settings, ({ key }) => key === wanted, true)[0]?.value;
    return value === UNREADABLE_SECRET ? undefined : value;
  }
}

function changedKeys(event: SiteSettingsEvent): string[] {
  switch (event.type) {
    case 'SettingsChanged':
      return Object.keys(event.data.changes);
    case 'SecretSettingChanged':
      return [event.data.key];
    case 'StaticTokenReset':
      return [STATIC_TOKEN_KEY];
    default:
      return [];
  }
}

export class DeleteSettingCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly key: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DeleteSettingCommand)
export class DeleteSettingHandler implements ICommandHandler<DeleteSettingCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, key, origin }: DeleteSettingCommand): Promise<void> {
    await this.runner.run(siteSettingsStream, { type: 'DeleteSetting', key }, contextOf(caller, origin));
  }
}

/** Replaces the static token on behalf of an administrator and returns the new one. */
export class ResetStaticTokenCommand extends CallerCommand<string, Administrator> {}

@CommandHandler(ResetStaticTokenCommand)
export class ResetStaticTokenHandler implements ICommandHandler<ResetStaticTokenCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: SettingSecrets,
  ) {}

  async execute({ caller, origin }: ResetStaticTokenCommand): Promise<string> {
    const token = this.secrets.newStaticToken();
    const command = { type: 'ResetStaticToken', sealedToken: this.secrets.sealStaticToken(token) } as const;
    await this.runner.run(siteSettingsStream, command, contextOf(caller, origin));
    return token;
  }
}
