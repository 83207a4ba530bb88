import { All, Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { GetSiteSettings } from '@keyfold/application';
import type { FastifyReply } from 'fastify';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { archiveExtensions } from './archive-extensions.js';
import { PublicSettingsPages } from './public-settings.page.js';

const listOfTexts = { type: 'array', items: { type: 'string' } };

/** What everybody may read; compat: with any method. */
@ApiTags('public')
@Controller('api/public')
export class PublicController {
  constructor(
    private readonly queries: QueryBus,
    private readonly pages: PublicSettingsPages,
  ) {}

  @All('settings')
  @ApiOperation({ summary: 'Read the settings that everybody may know' })
  @ApiEnvelope({ schema: { type: 'object', additionalProperties: { type: 'string' } } })
  async settings(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const { bytes, etag } = this.pages.of(await this.queries.execute(new GetSiteSettings()));
    // The same for everybody, but with one header more for other origins.
    reply.header('Cache-Control', 'no-cache').header('ETag', etag).header('Vary', 'Origin');
    if (matches(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.code(200).header('Content-Type', 'application/json; charset=utf-8').send(bytes);
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

/** RFC 9110 section 13.1.2: a list of tags, weak ones count as equal. */
const matches = (header: string | undefined, etag: string) =>
  header === '*' || (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
