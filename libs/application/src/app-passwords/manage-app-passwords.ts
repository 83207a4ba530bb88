import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfSecret, type AppPassword, type AppPasswords } from '@keyfold/domain';
import { appPasswords, appPasswordsStream, ReadModelStore, StreamLoader, type Page } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { HolderPages, type SecretHolder } from '../named-secrets/secret-lists.js';
import type { Origin } from '../origin.js';
import { listAppPasswords, type ListedAppPassword } from './own-app-passwords.js';

export type AppPasswordHolder = SecretHolder<ListedAppPassword>;

/** Returns a page of the accounts that have app passwords, as `HolderPages` defines it. */
export class ListAnyAppPasswordsQuery extends Query<Page<AppPasswordHolder>> {
  constructor(
    readonly offset: number,
    readonly limit: number,
    readonly accountId?: number,
  ) {
    super();
  }
}

@QueryHandler(ListAnyAppPasswordsQuery)
export class ListAnyAppPasswordsHandler implements IQueryHandler<ListAnyAppPasswordsQuery> {
  readonly #pages: HolderPages<AppPasswords, AppPassword, ListedAppPassword>;

  constructor(readModels: ReadModelStore, loader: StreamLoader, activity: TokenActivity, clock: Clock) {
    this.#pages = new HolderPages(readModels, loader, {
      model: appPasswords,
      streamOf: appPasswordsStream,
      secretsOf: ({ secrets }) => secrets,
      accountOf: ({ id }) => accountOfSecret(id),
      list: (passwords) => listAppPasswords(passwords, activity, clock.now()),
    });
  }

  execute({ offset, limit, accountId }: ListAnyAppPasswordsQuery): Promise<Page<AppPasswordHolder>> {
    return this.#pages.page(offset, limit, accountId);
  }
}

export class RevokeAnyAppPasswordCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly appPasswordId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `app-password-not-found`. */
@CommandHandler(RevokeAnyAppPasswordCommand)
export class RevokeAnyAppPasswordHandler implements ICommandHandler<RevokeAnyAppPasswordCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, appPasswordId, origin }: RevokeAnyAppPasswordCommand): Promise<void> {
    const ref = appPasswordsStream(accountOfSecret(appPasswordId));
    await this.runner.run(ref, { type: 'RevokeAppPassword', id: appPasswordId }, { actor: actorOf(caller), ...origin });
  }
}
