import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Fault } from '@keyfold/http-envelope';
import type { FastifyReply } from 'fastify';
import { sendRevalidated, type RevalidatedResponse } from '../http/revalidated-response.js';
import type { KeyfoldRequest } from '../request/request-reading.js';
import { PAGE_CSP } from './html.js';

/** Serves the documentation of the public events for other services and their developers. It needs no login. */
@ApiExcludeController()
@Controller()
export class PublicEventsController {
  /** By path. They are loaded and built on first use, so that startup stays fast. */
  #documents: Promise<ReadonlyMap<string, RevalidatedResponse>> | undefined;

  @Get('docs/events')
  async page(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.header('Content-Security-Policy', PAGE_CSP);
    await this.#send('/docs/events', request, reply);
  }

  @Get('asyncapi.json')
  async asyncApi(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#send('/asyncapi.json', request, reply);
  }

  @Get('schemas/:type/:file')
  async schema(
    @Param('type') type: string,
    @Param('file') file: string,
    @Req() request: KeyfoldRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#send(`/schemas/${type}/${file}`, request, reply);
  }

  async #send(path: string, request: KeyfoldRequest, reply: FastifyReply): Promise<void> {
    this.#documents ??= import('./public-events.page.js').then((page) => page.buildPublicEventDocuments());
    const document = (await this.#documents).get(path);
    if (!document) throw new Fault(404, 'this schema does not exist');
    sendRevalidated(request, reply, document);
  }
}
