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
  @ApiProperty({ description: 'a picture of the enrolment address: a PNG as a data URL' })
  qr!: string;

  @ApiProperty({ description: '32 letters of base32' })
  secret!: string;
}

@GoStruct('Verify2FAReq')
class ProofRequest {
  @ApiProperty({ description: 'six digits' })
  @TextField('Code', { required: true })
  code: string = '';

  @ApiProperty({ description: 'the secret that was answered last' })
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
  @ApiOperation({ summary: 'Make a secret for one-time codes' })
  @ApiEnvelope({ model: EnrolmentResponse })
  generate(@Req() request: KeyfoldRequest): Promise<EnrolmentResponse> {
    return this.commandBus.execute(new StartTwoFactorEnrolmentCommand(callerOf(request), originOf(request)));
  }

  @Post('verify')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn two-factor on with a code of the secret' })
  @ApiBody({ type: ProofRequest })
  @ApiEnvelope()
  async verify(@Req() request: KeyfoldRequest): Promise<null> {
    const { code, secret } = bodyOf(ProofRequest, request);
    await this.commandBus.execute(new EnableTwoFactorCommand(callerOf(request), secret, code, originOf(request)));
    return null;
  }
}
