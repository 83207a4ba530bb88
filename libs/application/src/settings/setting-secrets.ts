import { factorySetting, sealedSettingValue, type SiteSettings } from '@keyfold/domain';
import { Sealer } from '@keyfold/security';
import { randomUUID } from 'node:crypto';
import { randomText } from '../random-text.js';
import { sealingContext } from '../sealing-context.js';

/** Seals and opens the static token and the values of secret and unknown settings. */
export class SettingSecrets {
  constructor(private readonly sealer: Sealer) {}

  /** Returns a new static token (wire contract 1.7). */
  newApiToken(): string {
    return `openlist-${randomUUID()}${randomText(64)}`;
  }

  /** Returns the current static token, empty before the first start. */
  apiTokenOf({ sealedApiToken }: SiteSettings): string {
    return sealedApiToken === '' ? '' : this.sealer.open(sealedApiToken, sealingContext.apiToken);
  }

  sealApiToken(token: string): string {
    return this.sealer.seal(token, sealingContext.apiToken);
  }

  /** Returns the current value of a secret or unknown setting, or undefined for an unknown one that was not saved. */
  valueOf(settings: SiteSettings, key: string): string | undefined {
    const sealed = sealedSettingValue(settings, key);
    return sealed === undefined ? factorySetting(key)?.value : this.sealer.open(sealed, sealingContext.setting(key));
  }

  sealValue(key: string, value: string): string {
    return this.sealer.seal(value, sealingContext.setting(key));
  }
}
