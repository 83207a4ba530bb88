import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { siteSettingsStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Deletes a setting that Keyfold does not know, on behalf of an administrator. */
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
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(siteSettingsStream, { type: 'DeleteSetting', key }, context);
  }
}
