import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { SettingList, type ListedSetting } from './setting-list.js';

/** Lists the factory settings of some groups, or all of them, with their default values. */
export class ListFactorySettingsQuery extends Query<readonly ListedSetting[]> {
  constructor(readonly groups?: readonly number[]) {
    super();
  }
}

@QueryHandler(ListFactorySettingsQuery)
export class ListFactorySettingsHandler implements IQueryHandler<ListFactorySettingsQuery> {
  constructor(private readonly list: SettingList) {}

  async execute({ groups }: ListFactorySettingsQuery): Promise<readonly ListedSetting[]> {
    const settings = this.list.factory();
    return groups ? settings.filter(({ group }) => groups.includes(group)) : settings;
  }
}
