import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { StartTwoFactorEnrolmentCommand, EnableTwoFactorCommand } from '@keyfold/application';
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
}
