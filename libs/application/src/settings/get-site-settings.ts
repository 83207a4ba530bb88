import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { SiteSettings } from '@keyfold/domain';
import { siteSettingsStream, StreamLoader, type Loaded } from '@keyfold/projections';

/** The settings and how often they changed; the number tells whether bytes made from them are still good. */
export class GetSiteSettings extends Query<Loaded<SiteSettings>> {}

@QueryHandler(GetSiteSettings)
export class GetSiteSettingsHandler implements IQueryHandler<GetSiteSettings> {
  constructor(private readonly loader: StreamLoader) {}

  async execute(): Promise<Loaded<SiteSettings>> {
    const [settings] = await this.loader.load(siteSettingsStream);
    return settings;
  }
}
