import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { siteSettingsDecider, type SiteSettings, type SiteSettingsEvent } from '@keyfold/domain';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { SealBroken, UnknownSealingKey } from '@keyfold/security';
import { changeOf, type SettingInput } from './setting-changes.js';
import { API_TOKEN_KEY, SettingList } from './setting-list.js';
import { SettingSecrets } from './setting-secrets.js';

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
    try {
      return this.list.current(settings, ({ key }) => key === wanted, true)[0]?.value;
    } catch (error) {
      // Saving a new value repairs the setting.
      if (error instanceof UnknownSealingKey || error instanceof SealBroken) return undefined;
      throw error;
    }
  }
}

/** Returns the keys that an event of a save names. */
function changedKeys(event: SiteSettingsEvent): string[] {
  switch (event.type) {
    case 'SettingsChanged':
      return Object.keys(event.data.changes);
    case 'SecretSettingChanged':
      return [event.data.key];
    case 'ApiTokenReset':
      return [API_TOKEN_KEY];
    default:
      return [];
  }
}
