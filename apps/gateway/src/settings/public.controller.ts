import { All, Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { GetSiteSettingsQuery } from '@keyfold/application';
import type { FastifyReply } from 'fastify';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { sendRevalidated } from '../request/revalidated-response.js';
import { archiveExtensions } from './archive-extensions.js';
import { PublicSettingsCache } from './public-settings-cache.js';

const stringList = { type: 'array', items: { type: 'string' } };

/** Routes that need no login. compat: they accept any method. */
@ApiTags('public')
@Controller('api/public')
export class PublicController {
  constructor(
    private readonly queryBus: QueryBus,
    private readonly cache: PublicSettingsCache,
  ) {}

  @All('settings')
  @ApiRoute({
    id: 'getPublicSettings',
    summary: 'Read the public settings',
    description:
      'Returns the settings that front ends need, as texts. The answer has an `ETag`; a request with a matching ' +
      '`If-None-Match` gets HTTP 304.',
    refusals: [],
  })
  @ApiEnvelope({ schema: { type: 'object', additionalProperties: { type: 'string' } } })
  async settings(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    sendRevalidated(request, reply, this.cache.responseOf(await this.queryBus.execute(new GetSiteSettingsQuery())));
  }

  @All('archive_extensions')
  @ApiRoute({
    id: 'listArchiveExtensions',
    summary: 'List the archive types that can be opened',
    description: 'Returns the file extensions of archives, which front ends need to start.',
    refusals: [],
  })
  @ApiEnvelope({ schema: stringList })
  archiveExtensions(@Res() reply: FastifyReply): void {
    reply.code(200).send(archiveExtensions);
  }

  @All('offline_download_tools')
  @ApiRoute({
    id: 'listOfflineDownloadTools',
    summary: 'List the offline download tools',
    description: 'Returns an empty list, because Keyfold does not download files.',
    refusals: [],
  })
  @ApiEnvelope({ schema: stringList })
  offlineDownloadTools(@Res() reply: FastifyReply): void {
    reply.code(200).send([]);
  }
}
