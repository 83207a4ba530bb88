import { Controller, Req } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { ChangeOwnProfileCommand, RevokeOwnEverythingCommand } from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import { oncePer, PreparedResponse } from '@keyfold/http-envelope';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { CallerGuard } from '../request/caller.guard.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { bodyOf, callerOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import { userResponse, UserResponse, UserUpdateRequest, type Fields } from './account-administration.controller.js';

/** An account as its owner sees it. */
class MeResponse extends UserResponse {
  @ApiProperty({ description: 'Whether two-factor login is on.' }) otp!: boolean;
  @ApiProperty({ type: 'integer', required: false, description: 'Missing if no recovery codes were generated.' })
  recovery_codes_left?: number;
  @ApiProperty({ required: false, description: 'True if at most 3 recovery codes are left, otherwise missing.' })
  recovery_codes_low?: boolean;
}

class RevokedEverythingResponse {
  @ApiProperty({ description: 'Always true: the session of the request has ended, too.' }) logged_out!: boolean;
}

/** Returns an account as its owner sees it. Prepared once per state, because clients request it with every page they show. */
const meResponse = oncePer((account: Account) =>
  PreparedResponse.of({
    ...userResponse(account),
    otp: account.twoFactor !== null,
    ...recoveryCodesLeft(account),
  } satisfies Fields<MeResponse>),
);

/** From this number on, the profile contains a warning. */
const FEW_RECOVERY_CODES = 3;

/** compat: nothing for an account that never generated codes, so that its profile has the fields of the original only. */
function recoveryCodesLeft({ twoFactor }: Account): Pick<MeResponse, 'recovery_codes_left' | 'recovery_codes_low'> {
  const left = twoFactor?.recoveryCodes?.unused.length;
  if (left === undefined) return {};
  return { recovery_codes_left: left, ...(left <= FEW_RECOVERY_CODES && { recovery_codes_low: true }) };
}

@ApiTags('profile')
@Controller()
export class ProfileController {
  constructor(private readonly commands: IdempotentCommands) {}

  @Route('GET /api/me', {
    id: 'getProfile',
    summary: "Read the caller's account",
    description: 'Returns the account of the token, or the guest if the request has no token and the guest is enabled.',
    guard: CallerGuard,
    scope: 'profile:read',
    answer: MeResponse,
    refusals: [],
  })
  read(@Req() request: KeyfoldRequest): PreparedResponse {
    return meResponse(callerOf(request).account);
  }

  @Route('POST /api/me/update', {
    id: 'updateProfile',
    summary: "Change the caller's name, password or SSO id",
    description:
      'Sets the user name and the SSO id, which is cleared if missing. An empty or missing `password` keeps the ' +
      'current one. A new name or password ends all sessions of the account. With `revoke_secrets`, the access tokens and app ' +
      'passwords are revoked after the change. The other fields must have the right type and are ignored.',
    guard: CallerGuard,
    body: UserUpdateRequest,
    answer: null,
    refusals: [
      ...UNREADABLE_BODY,
      'guest-has-no-profile',
      'username-too-long',
      'username-of-stand-in',
      'username-taken',
      'username-reserved',
      'sso-id-too-long',
      'password-too-short',
      'password-too-common',
    ],
    idempotent: true,
  })
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const { username, password, ssoId, revokeSecrets } = bodyOf(UserUpdateRequest, request);
    const profile = { username, password, ssoId, revokeSecrets };
    return this.commands.run(request, (caller, origin) => new ChangeOwnProfileCommand(caller, profile, origin));
  }

  @Route('POST /api/me/revoke-everything', {
    id: 'revokeEverything',
    summary: 'Revoke everything of the caller',
    description:
      'Ends every session of the account, the current one included, then revokes every access token and app password. The password, the ' +
      'second factor and the SSH keys stay. If the request fails, log in again and repeat it. Needs a session.',
    guard: CallerGuard,
    answer: RevokedEverythingResponse,
    refusals: ['guest-has-no-sessions', 'revocation-session-required'],
    idempotent: true,
  })
  async revokeEverything(@Req() request: KeyfoldRequest): Promise<RevokedEverythingResponse> {
    await this.commands.run(request, (caller, origin) => new RevokeOwnEverythingCommand(caller, origin));
    return { logged_out: true };
  }
}
