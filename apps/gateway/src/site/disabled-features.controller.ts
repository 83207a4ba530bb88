import { All, Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CallerIdentifier, requireScope } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { GoStruct, PreparedResponse, Refusal, TextField } from '@keyfold/http-envelope';
import { AdminGuard } from '../request/caller.guard.js';
import { bodyOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';

const refuse = (code: number, message: string): never => {
  throw new Refusal(code, message);
};

const refuseWebauthn = (): never => refuse(403, 'WebAuthn is not enabled');
/** compat: the response for every credential, even a nonexistent one. */
const deleted = PreparedResponse.of('Deleted Successfully');

@GoStruct('DeleteAuthnReq')
class DeleteCredentialRequest {
  @TextField('ID')
  id: string = '';
}

/** Routes outside the account API that front ends call. They respond as the original does if the feature is disabled (wire contract 1.2, 2.10). */
@ApiExcludeController()
@Controller()
export class DisabledFeaturesController {
  constructor(private readonly callers: CallerIdentifier) {}

  @Get('api/auth/sso')
  sso(): never {
    return refuse(403, 'Single sign-on is not enabled');
  }

  @Get(['api/auth/sso_callback', 'api/auth/get_sso_id', 'api/auth/sso_get_token'])
  ssoCallback(): never {
    return refuse(500, 'sso login is disabled');
  }

  @Get('api/authn/webauthn_begin_login')
  beginWebauthnLogin(): never {
    return refuseWebauthn();
  }

  @Post('api/authn/webauthn_finish_login')
  finishWebauthnLogin(): never {
    return refuseWebauthn();
  }

  @Get('api/authn/webauthn_begin_registration')
  async beginRegistration(@Req() request: KeyfoldRequest): Promise<never> {
    await this.#requireCaller(request);
    return refuseWebauthn();
  }

  @Post('api/authn/webauthn_finish_registration')
  async finishRegistration(@Req() request: KeyfoldRequest): Promise<never> {
    await this.#requireCaller(request);
    return refuseWebauthn();
  }

  @Get('api/authn/getcredentials')
  async credentials(@Req() request: KeyfoldRequest): Promise<never[]> {
    await this.#requireCaller(request);
    return [];
  }

  @Post('api/authn/delete_authn')
  // The other routes with POST always refuse, and a refusal sets the status.
  @HttpCode(200)
  async deleteCredential(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    await this.#requireCaller(request);
    bodyOf(DeleteCredentialRequest, request);
    return deleted;
  }

  @Post('api/admin/message/get')
  @UseGuards(AdminGuard)
  message(): never {
    return refuse(404, 'no message');
  }

  @Post('api/admin/message/send')
  @UseGuards(AdminGuard)
  sendMessage(): never {
    return refuse(500, 'nowhere needed');
  }

  @All(['s3', 's3/*'])
  s3(): never {
    return refuse(403, 'S3 server is not enabled');
  }

  @All(['mcp', 'mcp/*'])
  mcp(): never {
    return refuse(403, 'MCP server is not enabled');
  }

  /** Refuses a request with a bad token, and access tokens. compat: unlike other routes, accepts the disabled guest. */
  async #requireCaller(request: KeyfoldRequest): Promise<void> {
    try {
      const { authorization } = request.headers;
      const caller = await this.callers.identify(authorization, 'account', () => originOf(request));
      requireScope(caller, undefined);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'guest-disabled')) throw error;
    }
  }
}
