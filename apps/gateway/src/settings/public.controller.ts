import { All, Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeController } from '@nestjs/swagger';
import { GetSiteSettings } from '@keyfold/application';
import type { FastifyReply } from 'fastify';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { archiveExtensions } from './archive-extensions.js';
import { PublicSettingsPages } from './public-settings.page.js';

/** What everybody may read; compat: with any method. */
@ApiExcludeController()
@Controller('api/public')
export class PublicController {
  constructor(
    private readonly queries: QueryBus,
    private readonly pages: PublicSettingsPages,
  ) {}

  @All('settings')
  async settings(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const { bytes, etag } = this.pages.of(await this.queries.execute(new GetSiteSettings()));
    reply.header('Cache-Control', 'no-cache').header('ETag', etag).removeHeader('Vary');
    if (matches(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.code(200).header('Content-Type', 'application/json; charset=utf-8').send(bytes);
  }

  @All('archive_extensions')
  archiveExtensions(@Res() reply: FastifyReply): void {
    reply.code(200).send(archiveExtensions);
  }

  @All('offline_download_tools')
  offlineDownloadTools(@Res() reply: FastifyReply): void {
    reply.code(200).send([]);
  }
}

/** RFC 9110 section 13.1.2: a list of tags, weak ones count as equal. */
const matches = (header: string | undefined, etag: string) =>
  header === '*' || (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
