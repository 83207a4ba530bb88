import { Injectable } from '@nestjs/common';
import { factorySetting, sealedSettingValue, type NewSecret, type SiteSettings } from '@keyfold/domain';
import { SealBroken, Sealer, UnknownSealingKey } from '@keyfold/security';
import { randomInt, randomUUID } from 'node:crypto';
import { sealingContext } from '../secrets/sealing.js';

export const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` cryptographically random letters and digits. */
const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join('');

/** Seals and opens the static token and the values of secret and unknown settings. */
@Injectable()
export class SettingSecrets {
  constructor(private readonly sealer: Sealer) {}

  /** Returns a new static token (wire contract 1.7). */
  newStaticToken(): string {
    return `openlist-${randomUUID()}${randomText(64)}`;
  }

  /** Returns the current static token, empty before the first start. */
  staticTokenOf({ sealedStaticToken }: SiteSettings): string {
    return sealedStaticToken === '' ? '' : this.sealer.open(sealedStaticToken, sealingContext.staticToken);
  }

  sealStaticToken(token: string): string {
    return this.sealer.seal(token, sealingContext.staticToken);
  }

  /** Returns the current value of a secret or unknown setting, or undefined for an unknown one that was not saved. */
  valueOf(settings: SiteSettings, key: string): string | undefined {
    const sealed = sealedSettingValue(settings, key);
    return sealed === undefined ? factorySetting(key)?.value : this.sealer.open(sealed, sealingContext.setting(key));
  }

  /** Returns the static token to save, compared with the stored one. */
  staticTokenToSave(settings: SiteSettings, token: string): NewSecret {
    const isSame = token === ifOpens(() => this.staticTokenOf(settings));
    return { sealed: this.sealStaticToken(token), ...(isSame && { sameAs: settings.sealedStaticToken }) };
  }

  /** Returns the value to save of a secret or unknown setting, compared with the stored one. */
  valueToSave(settings: SiteSettings, key: string, value: string): NewSecret {
    const isSame = value === ifOpens(() => this.valueOf(settings, key));
    const sealed = this.sealer.seal(value, sealingContext.setting(key));
    return { sealed, ...(isSame && { sameAs: sealedSettingValue(settings, key) ?? '' }) };
  }
}

/** Returns undefined for a secret that no key opens, so that saving a new value repairs it. */
function ifOpens(open: () => string | undefined): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnknownSealingKey || error instanceof SealBroken) return undefined;
    throw error;
  }
}
