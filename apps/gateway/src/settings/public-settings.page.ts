import { publicSettings, type SiteSettings } from '@keyfold/domain';
import { successEnvelope } from '@keyfold/http-envelope';
import type { Loaded } from '@keyfold/projections';
import { revalidatedAnswer, type RevalidatedAnswer } from '../request/revalidated-answer.js';

/** Keeps the answer until the settings change. */
export class PublicSettingsPages {
  #made: { version: number; page: RevalidatedAnswer } | undefined;

  constructor(private readonly serviceVersion: string) {}

  of({ state, version }: Loaded<SiteSettings>): RevalidatedAnswer {
    if (this.#made?.version !== version) this.#made = { version, page: this.#make(state) };
    return this.#made.page;
  }

  #make(settings: SiteSettings): RevalidatedAnswer {
    const text = successEnvelope(publicSettings(settings, this.serviceVersion));
    return revalidatedAnswer('application/json; charset=utf-8', text);
  }
}
