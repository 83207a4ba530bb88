import { ApiProperty } from '@nestjs/swagger';
import type { Account } from '@keyfold/domain';
import { prepareOnce } from '@keyfold/http-envelope';

/** An account as administrators see it. The order of the fields is part of the contract (wire contract 3.1). */
export class UserResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'Always empty.' }) password!: string;
  @ApiProperty() base_path!: string;
  @ApiProperty({ type: 'integer', description: '0: general, 1: guest, 2: admin.' }) role!: number;
  @ApiProperty() disabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'A bit set, see docs/reference/wire-contract.md, section 3.2.' })
  permission!: number;
  @ApiProperty() sso_id!: string;
  @ApiProperty() allow_ldap!: boolean;
}

/** An account as its owner sees it. */
export class MeResponse extends UserResponse {
  @ApiProperty({ description: 'Whether two-factor login is on.' }) otp!: boolean;
  @ApiProperty({ type: 'integer', required: false, description: 'Missing if no recovery codes were generated.' })
  recovery_codes_left?: number;
  @ApiProperty({ required: false, description: 'True if at most 3 recovery codes are left, otherwise missing.' })
  recovery_codes_low?: boolean;
}

/** A page of the account list. */
export class UserPageResponse {
  @ApiProperty({ type: [UserResponse] }) content!: UserResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

type Fields<Response> = { readonly [Field in keyof Response]: Response[Field] };

/** Returns an account as administrators see it. */
export const userResponse = (account: Account): Fields<UserResponse> => ({
  id: account.accountId,
  username: account.username,
  password: '',
  base_path: account.basePath,
  role: account.role,
  disabled: account.disabled,
  permission: account.permission,
  sso_id: account.ssoId,
  allow_ldap: account.allowLdap,
});

/** Returns an account as its owner sees it. Prepared once per state, because clients request it with every page they show. */
export const meResponse = prepareOnce((account: Account): Fields<MeResponse> => ({
  ...userResponse(account),
  otp: account.twoFactor !== null,
  ...recoveryCodesLeft(account),
}));

/** From this number on, the profile contains a warning. */
const FEW_RECOVERY_CODES = 3;

/** compat: nothing for an account that never generated codes, so that its profile has the fields of the original only. */
function recoveryCodesLeft({ twoFactor }: Account): Pick<MeResponse, 'recovery_codes_left' | 'recovery_codes_low'> {
  const left = twoFactor?.recoveryCodes?.unused.length;
  if (left === undefined) return {};
  return { recovery_codes_left: left, ...(left <= FEW_RECOVERY_CODES && { recovery_codes_low: true }) };
}
