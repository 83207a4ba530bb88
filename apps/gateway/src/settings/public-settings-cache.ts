import { publicSettings, type SiteSettings } from '@keyfold/domain';
import { successEnvelope } from '@keyfold/http-envelope';
import type { Loaded } from '@keyfold/projections';
import { revalidatedResponse, type RevalidatedResponse } from '../request/revalidated-response.js';

/** Caches the response with the public settings until they change. */
export class PublicSettingsCache {
  #cached: { version: number; response: RevalidatedResponse } | undefined;

  constructor(private readonly serviceVersion: string) {}

  /** Returns the response for these settings. */
  responseOf({ state, version }: Loaded<SiteSettings>): RevalidatedResponse {
    if (this.#cached?.version !== version) this.#cached = { version, response: this.#create(state) };
    return this.#cached.response;
  }

  #create(settings: SiteSettings): RevalidatedResponse {
    const text = successEnvelope(publicSettings(settings, this.serviceVersion));
    return revalidatedResponse('application/json; charset=utf-8', text);
  }
}
