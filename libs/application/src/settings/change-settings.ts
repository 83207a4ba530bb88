import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { changeOf, type SettingInput } from './setting-changes.js';
import { SettingSecrets } from './setting-secrets.js';

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
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(siteSettingsStream, changeOf(settings, state, this.secrets), context);
  }
}
