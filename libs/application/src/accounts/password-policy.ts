import { DomainError } from '@keyfold/domain';
import { isCommonPassword } from '@keyfold/security';

/** What a new password must be; `minLength` in characters (Unicode code points), 0 for none. */
export type PasswordRules = Readonly<{ minLength: number; refuseCommon: boolean }>;

/** Judges new passwords. One that is stored already stays good, whatever the rules are. */
export class PasswordPolicy {
  constructor(private readonly rules: PasswordRules = { minLength: 0, refuseCommon: false }) {}

  /** Throws `password-too-short` or `password-too-common`. */
  async require(password: string): Promise<void> {
    const { minLength, refuseCommon } = this.rules;
    if ([...password].length < minLength) throw new DomainError('password-too-short', undefined, minLength);
    if (refuseCommon && (await isCommonPassword(password))) throw new DomainError('password-too-common');
  }
}
