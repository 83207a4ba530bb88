import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SiteSettings } from '@keyfold/domain';
import { siteSettingsStream, StreamLoader, type Loaded } from '@keyfold/projections';

/** Reads the site settings with their version, so that callers can detect stale answers derived from them. */
export class GetSiteSettingsQuery extends Query<Loaded<SiteSettings>> {}

@QueryHandler(GetSiteSettingsQuery)
export class GetSiteSettingsHandler implements IQueryHandler<GetSiteSettingsQuery> {
  constructor(private readonly loader: StreamLoader) {}

  async execute(): Promise<Loaded<SiteSettings>> {
    const [settings] = await this.loader.load(siteSettingsStream);
    return settings;
  }
}
