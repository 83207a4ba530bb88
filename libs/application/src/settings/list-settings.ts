import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { maySeeSecrets, type Administrator } from '../caller/caller.js';
import { SettingList, type ListedSetting } from './setting-list.js';

/**
 * Lists the settings of some groups, sorted by index, or all settings. An unknown group has none. To a caller with an access token, secrets
 * are empty.
 */
export class ListSettingsQuery extends Query<readonly ListedSetting[]> {
  constructor(
    readonly caller: Administrator,
    readonly groups: readonly number[] | undefined,
  ) {
    super();
  }
}

@QueryHandler(ListSettingsQuery)
export class ListSettingsHandler implements IQueryHandler<ListSettingsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly list: SettingList,
  ) {}

  async execute({ caller, groups }: ListSettingsQuery): Promise<readonly ListedSetting[]> {
    const [{ state }] = await this.loader.load(siteSettingsStream);
    return this.list.current(state, ({ group }) => groups?.includes(group) ?? true, maySeeSecrets(caller));
  }
}
