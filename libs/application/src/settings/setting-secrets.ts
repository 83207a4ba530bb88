import { Injectable } from '@nestjs/common';
import {
  factorySetting,
  isSealedSetting,
  sealedSettingValue,
  type NewSecret,
  type SiteSettings,
} from '@keyfold/domain';
import { SealBroken, Sealer, UnknownSealingKey } from '@keyfold/security';
import { randomInt, randomUUID } from 'node:crypto';
import { sealingContext } from '../secrets/sealing.js';

/** The key of the static token among the settings. */
export const STATIC_TOKEN_KEY = 'token';

export const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` cryptographically random letters and digits. */
const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join('');

/** The text that lists show instead of a secret that no key opens. */
export const UNREADABLE_SECRET = '(unreadable: no sealing key opens this value)';

/** Returns whether a list may have shown this text instead of the secret. A save of it must never replace the secret, which others may read. */
export const standsForSecret = ({ key, value }: Readonly<{ key: string; value: string }>): boolean =>
  value === UNREADABLE_SECRET && isSealedSetting(key);

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

  /**
   * Returns the current value of the static token, of a secret or of an unknown setting for a list: `UNREADABLE_SECRET` if no key opens it, and
   * undefined for an unknown setting that was not saved.
   */
  shownValueOf(settings: SiteSettings, key: string): string | undefined {
    return ifOpens(
      () => (key === STATIC_TOKEN_KEY ? this.staticTokenOf(settings) : this.valueOf(settings, key)),
      UNREADABLE_SECRET,
    );
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

/** Returns `otherwise` for a secret that no key opens. Saving a new value repairs it. */
function ifOpens(open: () => string | undefined, otherwise?: string): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnknownSealingKey || error instanceof SealBroken) return otherwise;
    throw error;
  }
}
