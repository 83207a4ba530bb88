import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { siteSettingsStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { SettingSecrets } from './setting-secrets.js';

/** Replaces the static token on behalf of an administrator and returns the new one. */
export class ResetApiTokenCommand extends Command<string> {
  constructor(
    readonly caller: Administrator,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(ResetApiTokenCommand)
export class ResetApiTokenHandler implements ICommandHandler<ResetApiTokenCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: SettingSecrets,
  ) {}

  async execute({ caller, origin }: ResetApiTokenCommand): Promise<string> {
    const token = this.secrets.newApiToken();
    const command = { type: 'ResetApiToken', sealedToken: this.secrets.sealApiToken(token) } as const;
    await this.runner.run(siteSettingsStream, command, { actor: actorOf(caller), ...origin });
    return token;
  }
}
