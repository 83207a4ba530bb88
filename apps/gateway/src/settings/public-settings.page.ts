import { publicSettings, type SiteSettings } from '@keyfold/domain';
import { successEnvelope } from '@keyfold/http-envelope';
import type { Loaded } from '@keyfold/projections';
import { createHash } from 'node:crypto';

/** The answer of the public settings, ready to send; `etag` is quoted. */
export type PublicSettingsPage = Readonly<{ bytes: Buffer; etag: string }>;

/** Keeps the answer as bytes until the settings change. */
export class PublicSettingsPages {
  #made: { version: number; page: PublicSettingsPage } | undefined;

  constructor(private readonly serviceVersion: string) {}

  of({ state, version }: Loaded<SiteSettings>): PublicSettingsPage {
    if (this.#made?.version !== version) this.#made = { version, page: this.#make(state) };
    return this.#made.page;
  }

  #make(settings: SiteSettings): PublicSettingsPage {
    const bytes = Buffer.from(successEnvelope(publicSettings(settings, this.serviceVersion)));
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` };
  }
}
