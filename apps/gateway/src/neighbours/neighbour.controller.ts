import { All, Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CallerIdentifier } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { Refusal } from '@keyfold/http-envelope';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { AdminGuard } from '../session/caller.guard.js';

const off = (code: number, message: string): never => {
  throw new Refusal(code, message);
};

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

  @Get(['api/authn/webauthn_begin_login', 'api/authn/webauthn_begin_registration'])
  webauthnBegin(): never {
    return off(403, 'WebAuthn is not enabled');
  }

  @Post(['api/authn/webauthn_finish_login', 'api/authn/webauthn_finish_registration'])
  @HttpCode(200)
  webauthnFinish(): never {
    return off(403, 'WebAuthn is not enabled');
  }

  @Get('api/authn/getcredentials')
  async credentials(@Req() request: KeyfoldRequest): Promise<never[]> {
    await this.#identifyOrGuest(request);
    return [];
  }

  @Post('api/authn/delete_authn')
  @HttpCode(200)
  async deleteCredential(@Req() request: KeyfoldRequest): Promise<string> {
    await this.#identifyOrGuest(request);
    return off(404, 'this account has no such credential');
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
      await this.callers.identify(request.headers.authorization, 'account');
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'guest-disabled')) throw error;
    }
  }
}
