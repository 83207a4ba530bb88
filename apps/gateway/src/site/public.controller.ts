import { Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { GetSiteSettingsQuery } from '@keyfold/application';
import { publicSettings, type SiteSettings } from '@keyfold/domain';
import { oncePer, successEnvelope } from '@keyfold/http-envelope';
import { serviceVersion } from '@keyfold/process';
import type { FastifyReply } from 'fastify';
import { revalidatedResponse, sendRevalidated } from '../http/revalidated-response.js';
import type { KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';

/** The archive types that front ends offer to open. They do not start without this list (wire contract 2.6). */
const ARCHIVE_EXTENSIONS = ['.zip', '.tar', '.gz', '.tgz', '.bz2', '.xz', '.7z', '.rar', '.iso'] as const;

/** Prepared once per state, because front ends request it with every page. */
const settingsResponse = oncePer((settings: SiteSettings) =>
  revalidatedResponse('application/json; charset=utf-8', successEnvelope(publicSettings(settings, serviceVersion))),
);

const STRING_LIST = { type: 'array', items: { type: 'string' } };

/** Routes that need no login. compat: they accept any method. */
@ApiTags('public')
@Controller()
export class PublicController {
  constructor(private readonly queryBus: QueryBus) {}

  @Route('ANY /api/public/settings', {
    id: 'getPublicSettings',
    summary: 'Read the public settings',
    description:
      'Returns the settings that front ends need, as texts. The answer has an `ETag`; a request with a matching ' +
      '`If-None-Match` gets HTTP 304.',
    answer: { data: { type: 'object', additionalProperties: { type: 'string' } } },
    refusals: [],
  })
  async settings(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    sendRevalidated(request, reply, settingsResponse(await this.queryBus.execute(new GetSiteSettingsQuery())));
  }

  @Route('ANY /api/public/archive_extensions', {
    id: 'listArchiveExtensions',
    summary: 'List the archive types that can be opened',
    description: 'Returns the file extensions of archives, which front ends need to start.',
    answer: { data: STRING_LIST },
    refusals: [],
  })
  archiveExtensions(@Res() reply: FastifyReply): void {
    reply.code(200).send(ARCHIVE_EXTENSIONS);
  }

  @Route('ANY /api/public/offline_download_tools', {
    id: 'listOfflineDownloadTools',
    summary: 'List the offline download tools',
    description: 'Returns an empty list, because Keyfold does not download files.',
    answer: { data: STRING_LIST },
    refusals: [],
  })
  offlineDownloadTools(@Res() reply: FastifyReply): void {
    reply.code(200).send([]);
  }
}
