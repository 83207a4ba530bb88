import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type SiteSettings } from '@keyfold/domain';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { maySeeSecrets, type Administrator } from '../caller/caller.js';
import { SettingList, type ListedSetting } from './setting-list.js';

export class GetSiteSettingsQuery extends Query<SiteSettings> {}

@QueryHandler(GetSiteSettingsQuery)
export class GetSiteSettingsHandler implements IQueryHandler<GetSiteSettingsQuery> {
  constructor(private readonly loader: StreamLoader) {}

  async execute(): Promise<SiteSettings> {
    const [{ state }] = await this.loader.load(siteSettingsStream);
    return state;
  }
}

/** In characters, of all values together. A query can repeat the key of a long value thousands of times. */
export const MAX_VALUES = 1_048_576;

/** Returns the settings with these keys in this order, repetitions included. To a caller with an access token, secrets are empty. */
export class GetSettingsQuery extends Query<readonly ListedSetting[]> {
  constructor(
    readonly caller: Administrator,
    readonly keys: readonly string[],
  ) {
    super();
  }
}

@QueryHandler(GetSettingsQuery)
export class GetSettingsHandler implements IQueryHandler<GetSettingsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly list: SettingList,
  ) {}

  async execute({ caller, keys }: GetSettingsQuery): Promise<readonly ListedSetting[]> {
    const [{ state }] = await this.loader.load(siteSettingsStream);
    const wanted = new Set(keys);
    const chosen = this.list.current(state, ({ key }) => wanted.has(key), maySeeSecrets(caller));
    const settings = new Map(chosen.map((setting) => [setting.key, setting]));
    const found = keys.map((key) => settings.get(key) ?? notFound());
    if (found.reduce((sum, { value }) => sum + value.length, 0) > MAX_VALUES) {
      throw new DomainError('too-many-settings-requested');
    }
    return found;
  }
}

function notFound(): never {
  throw new DomainError('setting-not-found');
}

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
