import { All, Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CallerIdentifier } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { GoStruct, PreparedAnswer, Refusal, TextField } from '@keyfold/http-envelope';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, originOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';

const off = (code: number, message: string): never => {
  throw new Refusal(code, message);
};

const webauthnOff = (): never => off(403, 'WebAuthn is not enabled');
/** compat: said of every credential, whether there was one or not. */
const deleted = PreparedAnswer.of('Deleted Successfully');

@GoStruct('DeleteAuthnReq')
class DeleteCredentialRequest {
  @TextField('ID')
  id: string = '';
}

/** Routes of the original that front ends ask beside the account API, in their disabled state (wire contract 1.2 and 2.10). */
@ApiExcludeController()
@Controller()
export class NeighbourController {
  constructor(private readonly callers: CallerIdentifier) {}

  @Get('api/auth/sso')
  sso(): never {
    return off(403, 'Single sign-on is not enabled');
  }

  @Get(['api/auth/sso_callback', 'api/auth/get_sso_id', 'api/auth/sso_get_token'])
  ssoCallback(): never {
    return off(500, 'sso login is disabled');
  }

  @Get('api/authn/webauthn_begin_login')
  beginWebauthnLogin(): never {
    return webauthnOff();
  }

  @Post('api/authn/webauthn_finish_login')
  @HttpCode(200)
  finishWebauthnLogin(): never {
    return webauthnOff();
  }

  @Get('api/authn/webauthn_begin_registration')
  async beginRegistration(@Req() request: KeyfoldRequest): Promise<never> {
    await this.#identifyOrGuest(request);
    return webauthnOff();
  }

  @Post('api/authn/webauthn_finish_registration')
  @HttpCode(200)
  async finishRegistration(@Req() request: KeyfoldRequest): Promise<never> {
    await this.#identifyOrGuest(request);
    return webauthnOff();
  }

  @Get('api/authn/getcredentials')
  async credentials(@Req() request: KeyfoldRequest): Promise<never[]> {
    await this.#identifyOrGuest(request);
    return [];
  }

  @Post('api/authn/delete_authn')
  @HttpCode(200)
  async deleteCredential(@Req() request: KeyfoldRequest): Promise<PreparedAnswer> {
    await this.#identifyOrGuest(request);
    bodyOf(DeleteCredentialRequest, request);
    return deleted;
  }

  @Post('api/admin/message/get')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  message(): never {
    return off(404, 'no message');
  }

  @Post('api/admin/message/send')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  sendMessage(): never {
    return off(500, 'nowhere needed');
  }

  @All(['s3', 's3/*'])
  s3(): never {
    return off(403, 'S3 server is not enabled');
  }

  @All(['mcp', 'mcp/*'])
  mcp(): never {
    return off(403, 'MCP server is not enabled');
  }

  /** compat: on these routes the disabled guest passes. */
  async #identifyOrGuest(request: KeyfoldRequest): Promise<void> {
    try {
      await this.callers.identify(request.headers.authorization, 'account', () => originOf(request));
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'guest-disabled')) throw error;
    }
  }
}
