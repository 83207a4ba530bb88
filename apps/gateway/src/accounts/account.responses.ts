import { ApiProperty } from '@nestjs/swagger';
import type { Account } from '@keyfold/domain';
import { writtenOnce } from '@keyfold/http-envelope';

/** An account as the administration sees it; the order of the fields is part of the contract (wire contract 3.1). */
export class UserResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'always empty' }) password!: string;
  @ApiProperty() base_path!: string;
  @ApiProperty({ type: 'integer', description: '0 general, 1 guest, 2 admin' }) role!: number;
  @ApiProperty() disabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'bits of docs/wire-contract.md, section 3.2' }) permission!: number;
  @ApiProperty() sso_id!: string;
  @ApiProperty() allow_ldap!: boolean;
}

/** An account as it sees itself. */
export class MeResponse extends UserResponse {
  @ApiProperty({ description: 'two-factor is on' }) otp!: boolean;
}

export class UserPageResponse {
  @ApiProperty({ type: [UserResponse] }) content!: UserResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

type Fields<Response> = { readonly [Field in keyof Response]: Response[Field] };

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

/** Clients ask for it with every page they show, so it is written once for as long as the state is kept. */
export const meResponse = writtenOnce((account: Account): Fields<MeResponse> => ({
  ...userResponse(account),
  otp: account.twoFactor !== null,
}));
