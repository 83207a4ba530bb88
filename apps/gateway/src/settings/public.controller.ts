import { All, Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { GetSiteSettingsQuery } from '@keyfold/application';
import type { FastifyReply } from 'fastify';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { sendRevalidated } from '../request/revalidated-answer.js';
import { archiveExtensions } from './archive-extensions.js';
import { PublicSettingsPages } from './public-settings.page.js';

const listOfTexts = { type: 'array', items: { type: 'string' } };

/** What everybody may read; compat: with any method. */
@ApiTags('public')
@Controller('api/public')
export class PublicController {
  constructor(
    private readonly queryBus: QueryBus,
    private readonly pages: PublicSettingsPages,
  ) {}

  @All('settings')
  @ApiOperation({ summary: 'Read the settings that everybody may know' })
  @ApiEnvelope({ schema: { type: 'object', additionalProperties: { type: 'string' } } })
  async settings(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    sendRevalidated(request, reply, this.pages.of(await this.queryBus.execute(new GetSiteSettingsQuery())));
  }

  @All('archive_extensions')
  @ApiOperation({ summary: 'List the archives that can be looked into' })
  @ApiEnvelope({ schema: listOfTexts })
  archiveExtensions(@Res() reply: FastifyReply): void {
    reply.code(200).send(archiveExtensions);
  }

  @All('offline_download_tools')
  @ApiOperation({ summary: 'List the tools for downloads: none' })
  @ApiEnvelope({ schema: listOfTexts })
  offlineDownloadTools(@Res() reply: FastifyReply): void {
    reply.code(200).send([]);
  }
}
