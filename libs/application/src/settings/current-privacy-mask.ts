import { Injectable } from '@nestjs/common';
import { factorySetting, settingValue, type SiteSettings } from '@keyfold/domain';
import { waitAtMost } from '@keyfold/concurrency';
import { siteSettingsStream, StreamLoader, type Loaded } from '@keyfold/projections';
import { InvalidPatterns, PrivacyMask } from '@keyfold/security';

const KEY = 'privacy_regs';
const FACTORY_PATTERNS = factorySetting(KEY)!.value;
/** Milliseconds. A store that is unavailable must not delay refusals that do not need it. */
const READ_TIMEOUT = 1_000;

/** Masks private parts of error messages with the patterns of the setting `privacy_regs` (wire contract 1.10). Never fails. */
@Injectable()
export class CurrentPrivacyMask {
  #patterns = FACTORY_PATTERNS;
  #mask = new PrivacyMask(FACTORY_PATTERNS);
  /** The version of the settings that the patterns are from. A slow read must not bring older patterns back. */
  #version = 0;

  constructor(private readonly loader: StreamLoader) {}

  /** Masks with the current patterns. Returns a promise if the settings must be read; if that fails, the patterns read last apply. */
  ofRefusal(message: string): string | Promise<string> {
    const known = this.loader.loadNow(siteSettingsStream);
    if (!known) return this.#read().then(() => this.#mask.apply(message));
    this.#use(known[0]);
    return this.#mask.apply(message);
  }

  /** Masks with the patterns read last. */
  ofFault(message: string): string {
    return this.#mask.apply(message);
  }

  #read(): Promise<void> {
    return waitAtMost(
      READ_TIMEOUT,
      this.loader.load(siteSettingsStream).then(([settings]) => this.#use(settings)),
    );
  }

  #use({ state, version }: Loaded<SiteSettings>): void {
    if (version < this.#version) return;
    this.#version = version;
    const patterns = settingValue(state, KEY);
    if (patterns === this.#patterns) return;
    this.#mask = maskOf(patterns);
    this.#patterns = patterns;
  }
}

/** Returns the mask of saved patterns, or of the factory's if a version with other limits saved patterns that this one refuses. */
function maskOf(patterns: string): PrivacyMask {
  try {
    return new PrivacyMask(patterns);
  } catch (error) {
    if (!(error instanceof InvalidPatterns)) throw error;
    return new PrivacyMask(FACTORY_PATTERNS);
  }
}
