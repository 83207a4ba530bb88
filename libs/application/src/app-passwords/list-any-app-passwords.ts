import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfAppPassword, type AppPassword, type AppPasswords } from '@keyfold/domain';
import { appPasswords, appPasswordsStream, ReadModelStore, StreamLoader, type Page } from '@keyfold/projections';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { HolderPages, type SecretHolder } from '../named-secrets/holder-pages.js';
import { listAppPasswords, type ListedAppPassword } from './listed-app-password.js';

/** The app passwords of one account. */
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
      secretsOf: ({ passwords }) => passwords,
      accountOf: ({ appPasswordId }) => accountOfAppPassword(appPasswordId),
      list: (passwords) => listAppPasswords(passwords, activity, clock.now()),
    });
  }

  execute({ offset, limit, accountId }: ListAnyAppPasswordsQuery): Promise<Page<AppPasswordHolder>> {
    return this.#pages.page(offset, limit, accountId);
  }
}
