import { factorySetting, settingValue, type SiteSettings } from '@keyfold/domain';
import { waitAtMost } from '@keyfold/concurrency';
import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { InvalidPatterns, PrivacyMask } from '@keyfold/security';

const KEY = 'privacy_regs';
const FACTORY_PATTERNS = factorySetting(KEY)!.value;
/** Milliseconds. A store that is unavailable must not delay refusals that do not need it. */
const READ_TIMEOUT = 1_000;

/** Masks private parts of error messages with the patterns of the setting `privacy_regs` (wire contract 1.10). Never fails. */
export class CurrentPrivacyMask {
  #patterns = FACTORY_PATTERNS;
  #mask = new PrivacyMask(FACTORY_PATTERNS);

  constructor(private readonly loader: StreamLoader) {}

  /** Masks with the current patterns. Returns a promise if the settings must be read; if that fails, the patterns read last apply. */
  ofRefusal(message: string): string | Promise<string> {
    const known = this.loader.loadNow(siteSettingsStream);
    if (!known) return this.#read().then(() => this.#mask.apply(message));
    this.#use(known[0].state);
    return this.#mask.apply(message);
  }

  /** Masks with the patterns read last. */
  ofFault(message: string): string {
    return this.#mask.apply(message);
  }

  #read(): Promise<void> {
    return waitAtMost(
      READ_TIMEOUT,
      this.loader.load(siteSettingsStream).then(([{ state }]) => this.#use(state)),
    );
  }

  #use(settings: SiteSettings): void {
    const patterns = settingValue(settings, KEY);
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
