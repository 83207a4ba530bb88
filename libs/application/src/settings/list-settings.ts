import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { SettingList, type ListedSetting } from './setting-list.js';

/** Lists the settings of some groups, sorted by index, or all settings. An unknown group has none. */
export class ListSettingsQuery extends Query<readonly ListedSetting[]> {
  constructor(readonly groups?: readonly number[]) {
    super();
  }
}

@QueryHandler(ListSettingsQuery)
export class ListSettingsHandler implements IQueryHandler<ListSettingsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly list: SettingList,
  ) {}

  async execute({ groups }: ListSettingsQuery): Promise<readonly ListedSetting[]> {
    const [{ state }] = await this.loader.load(siteSettingsStream);
    return this.list.current(state, ({ group }) => groups?.includes(group) ?? true);
  }
}
