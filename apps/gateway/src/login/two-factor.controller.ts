import { Controller, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  DisableOwnTwoFactorCommand,
  EnableTwoFactorCommand,
  GenerateRecoveryCodesCommand,
  StartTwoFactorEnrolmentCommand,
  type Proof,
} from '@keyfold/application';
import { GoStruct } from '@keyfold/http-envelope';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { CallerGuard } from '../request/caller.guard.js';
import { ApiText } from '../request/documented-fields.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { bodyOf, callerOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';

class EnrolmentResponse {
  @ApiProperty({ description: 'A QR code of the `otpauth` URL, as the data URL of a PNG image.' })
  qr!: string;

  @ApiProperty({ description: 'The secret: 32 base32 characters.' })
  secret!: string;
}

@GoStruct('Verify2FAReq')
class VerifyRequest {
  @ApiText('Code', { required: true, description: 'The current one-time code, six digits.' }) code = '';
  @ApiText('Secret', { required: true, description: 'The secret that `generate` returned last.' }) secret = '';
}

@GoStruct('Proof2FAReq')
class ProofRequest {
  @ApiText('Password', { description: 'The password. If it is given, `otp_code` is ignored.' }) password = '';
  @ApiText('OtpCode', { description: 'A current one-time code, or a recovery code.' }) otpCode = '';
}

class RecoveryCodesResponse {
  @ApiProperty({
    type: [String],
    description: 'Ten codes, each of which replaces `otp_code` in one login. Shown only once.',
  })
  recovery_codes!: string[];
}

const proofIn = (request: KeyfoldRequest): Proof => {
  const { password, otpCode: code } = bodyOf(ProofRequest, request);
  return { password, code, address: request.clientAddress };
};

/** The refusals of a proof that the caller is the owner of the account. */
const PROOF_REFUSALS = [
  'proof-missing',
  'password-wrong',
  'one-time-code-invalid',
  'one-time-code-locked',
  'too-many-attempts',
] as const;

@ApiTags('two-factor')
@Controller()
export class TwoFactorController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly commands: IdempotentCommands,
  ) {}

  @Route('POST /api/auth/2fa/generate', {
    id: 'generateTwoFactorSecret',
    summary: 'Generate a secret for one-time codes',
    description:
      'Returns a new secret and its QR code for an authenticator app. Two-factor login stays as it is until ' +
      '`enableTwoFactor` proves that the app has the secret. Only the latest secret can be proven, for 10 minutes.',
    guard: CallerGuard,
    answer: EnrolmentResponse,
    refusals: ['guest-has-no-two-factor', 'too-many-enrolments'],
  })
  generate(@Req() request: KeyfoldRequest): Promise<EnrolmentResponse> {
    return this.commandBus.execute(new StartTwoFactorEnrolmentCommand(callerOf(request), originOf(request)));
  }

  @Route('POST /api/auth/2fa/verify', {
    id: 'enableTwoFactor',
    summary: 'Turn on two-factor login',
    description:
      'Stores the secret if `code` was computed from it. Every later login needs a code. A second secret replaces ' +
      'the first.',
    guard: CallerGuard,
    body: VerifyRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'guest-has-no-two-factor', 'enrolment-code-invalid'],
    idempotent: true,
  })
  async verify(@Req() request: KeyfoldRequest): Promise<null> {
    const { code, secret } = bodyOf(VerifyRequest, request);
    return this.commands.run(request, (caller, origin) => new EnableTwoFactorCommand(caller, secret, code, origin));
  }

  @Route('POST /api/auth/2fa/disable', {
    id: 'disableTwoFactor',
    summary: 'Turn off two-factor login',
    description:
      'Turns off two-factor login and drops the recovery codes. Needs the password or a code, and does nothing if ' +
      'two-factor login is off.',
    guard: CallerGuard,
    body: ProofRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'guest-has-no-two-factor', ...PROOF_REFUSALS],
    idempotent: true,
  })
  async disable(@Req() request: KeyfoldRequest): Promise<null> {
    const proof = proofIn(request);
    return this.commands.run(request, (caller, origin) => new DisableOwnTwoFactorCommand(caller, proof, origin));
  }

  @Route('POST /api/auth/2fa/recovery_codes', {
    id: 'generateRecoveryCodes',
    summary: 'Generate recovery codes',
    description:
      'Replaces the recovery codes and returns the new ones, each of which replaces a one-time code in one login. ' +
      'Needs the password or a code.',
    guard: CallerGuard,
    body: ProofRequest,
    answer: RecoveryCodesResponse,
    refusals: [...UNREADABLE_BODY, 'guest-has-no-two-factor', 'two-factor-off', ...PROOF_REFUSALS],
  })
  async generateRecoveryCodes(@Req() request: KeyfoldRequest): Promise<RecoveryCodesResponse> {
    const command = new GenerateRecoveryCodesCommand(callerOf(request), proofIn(request), originOf(request));
    return { recovery_codes: [...(await this.commandBus.execute(command))] };
  }
}
