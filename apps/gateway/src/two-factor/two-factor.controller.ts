import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  DisableOwnTwoFactorCommand,
  EnableTwoFactorCommand,
  GenerateRecoveryCodesCommand,
  StartTwoFactorEnrolmentCommand,
  type Proof,
} from '@keyfold/application';
import { GoStruct, TextField } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';

class EnrolmentResponse {
  @ApiProperty({ description: 'A QR code of the `otpauth` URL, as the data URL of a PNG image.' })
  qr!: string;

  @ApiProperty({ description: 'The secret: 32 base32 characters.' })
  secret!: string;
}

@GoStruct('Verify2FAReq')
class VerifyRequest {
  @ApiProperty({ description: 'The current one-time code, six digits.' })
  @TextField('Code', { required: true })
  code: string = '';

  @ApiProperty({ description: 'The secret that `generate` returned last.' })
  @TextField('Secret', { required: true })
  secret: string = '';
}

@GoStruct('Proof2FAReq')
class ProofRequest {
  @ApiProperty({ required: false, description: 'The password. If it is given, `otp_code` is ignored.' })
  @TextField('Password')
  password: string = '';

  @ApiProperty({ name: 'otp_code', required: false, description: 'A current one-time code, or a recovery code.' })
  @TextField('OtpCode')
  otpCode: string = '';
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

@ApiTags('two-factor')
@ApiSecurity('token')
@Controller('api/auth/2fa')
@UseGuards(CallerGuard)
export class TwoFactorController {
  constructor(private readonly commandBus: CommandBus) {}

  @Post('generate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Generate a secret for one-time codes' })
  @ApiEnvelope({ model: EnrolmentResponse })
  generate(@Req() request: KeyfoldRequest): Promise<EnrolmentResponse> {
    return this.commandBus.execute(new StartTwoFactorEnrolmentCommand(callerOf(request), originOf(request)));
  }

  @Post('verify')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn on two-factor login with a code generated from the secret' })
  @ApiBody({ type: VerifyRequest })
  @ApiEnvelope()
  async verify(@Req() request: KeyfoldRequest): Promise<null> {
    const { code, secret } = bodyOf(VerifyRequest, request);
    await this.commandBus.execute(new EnableTwoFactorCommand(callerOf(request), secret, code, originOf(request)));
    return null;
  }

  @Post('disable')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn off two-factor login with the password or a code' })
  @ApiBody({ type: ProofRequest })
  @ApiEnvelope()
  async disable(@Req() request: KeyfoldRequest): Promise<null> {
    const proof = proofIn(request);
    await this.commandBus.execute(new DisableOwnTwoFactorCommand(callerOf(request), proof, originOf(request)));
    return null;
  }

  @Post('recovery_codes')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the recovery codes, with the password or a code' })
  @ApiBody({ type: ProofRequest })
  @ApiEnvelope({ model: RecoveryCodesResponse })
  async generateRecoveryCodes(@Req() request: KeyfoldRequest): Promise<RecoveryCodesResponse> {
    const command = new GenerateRecoveryCodesCommand(callerOf(request), proofIn(request), originOf(request));
    return { recovery_codes: [...(await this.commandBus.execute(command))] };
  }
}
