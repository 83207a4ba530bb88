import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Fault, UNKNOWN_PATH } from '@keyfold/http-envelope';
import type { FastifyReply } from 'fastify';
import { GatewayConfig } from '../gateway.config.js';
import { PAGE_CSP } from './html-page.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { isWelcomePageRequest } from '../http/page-request.js';
import { welcomePage } from './welcome.page.js';

/** Serves the root path: browsers get a page; for other clients the path does not exist, with any method (wire contract 1.2). */
@ApiExcludeController()
@Controller()
export class WelcomeController {
  readonly #page: string;

  constructor({ version }: GatewayConfig) {
    this.#page = welcomePage(version).source;
  }

  @All()
  page(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): void {
    if (!isWelcomePageRequest(request)) throw new Fault(404, UNKNOWN_PATH);
    reply.header('content-security-policy', PAGE_CSP).header('vary', 'Accept');
    reply.code(200).type('text/html; charset=utf-8').send(this.#page);
  }
}
