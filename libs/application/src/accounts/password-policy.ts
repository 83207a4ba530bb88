import { DomainError } from '@keyfold/domain';
import { isCommonPassword } from '@keyfold/security';

/** Requirements for new passwords. `minLength` counts Unicode code points; 0 means no minimum. */
export type PasswordRules = Readonly<{ minLength: number; refuseCommon: boolean }>;

/** Checks new passwords against the rules. Stored passwords stay valid, even if they break rules that were set later. */
export class PasswordPolicy {
  constructor(private readonly rules: PasswordRules = { minLength: 0, refuseCommon: false }) {}

  /** Throws `password-too-short` or `password-too-common` if the rules refuse the password. */
  async assertAcceptable(password: string): Promise<void> {
    const { minLength, refuseCommon } = this.rules;
    if ([...password].length < minLength) throw new DomainError('password-too-short', { limit: minLength });
    if (refuseCommon && (await isCommonPassword(password))) throw new DomainError('password-too-common');
  }
}
