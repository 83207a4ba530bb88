import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { GetSiteSettingsQuery } from '@keyfold/application';
import { settingValue } from '@keyfold/domain';
import type { FastifyReply } from 'fastify';
import { html } from './html.js';
import { Route } from '../request/route.decorator.js';

/** Routes outside the API: a ping, and files that are generated from settings (wire contract 1.2). */
@ApiTags('public')
@Controller()
export class SiteController {
  constructor(private readonly queryBus: QueryBus) {}

  @Route('ANY /ping', {
    id: 'ping',
    summary: 'Check that the service responds',
    description: 'Returns `pong` as plain text, without an envelope.',
    answer: {
      description: 'The service responds.',
      content: { 'text/plain': { schema: { type: 'string', enum: ['pong'] } } },
    },
    refusals: [],
  })
  ping(@Res() reply: FastifyReply): void {
    reply.code(200).send('pong');
  }

  @Get('robots.txt')
  @ApiExcludeEndpoint()
  async robots(@Res() reply: FastifyReply): Promise<void> {
    reply.send(await this.#setting('robots_txt'));
  }

  @Get('favicon.ico')
  @ApiExcludeEndpoint()
  async favicon(@Res() reply: FastifyReply): Promise<void> {
    const icon = await this.#setting('favicon');
    const link = html`<a href="${icon}">Found</a>`;
    reply.code(302).header('Location', asLocation(icon)).type('text/html; charset=utf-8').send(`${link.source}.\n\n`);
  }

  @Get('manifest.json')
  @ApiExcludeEndpoint()
  async manifest(@Res() reply: FastifyReply): Promise<void> {
    const manifest = {
      display: 'standalone',
      scope: '/',
      start_url: '/',
      name: await this.#setting('site_title'),
      icons: [{ src: await this.#setting('logo').then(firstLine), sizes: 'any' }],
    };
    // Sent as bytes, because a string would get a charset that the original does not send.
    const bytes = Buffer.from(JSON.stringify(manifest));
    reply.header('Cache-Control', 'public, max-age=3600').type('application/json').send(bytes);
  }

  async #setting(key: string): Promise<string> {
    return settingValue(await this.queryBus.execute(new GetSiteSettingsQuery()), key);
  }
}

/** Encodes what cannot be part of a header, as Go does. An empty location would lead back to the icon. */
const asLocation = (url: string) =>
  url.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed())) || '/';

/** compat: the setting may contain a second logo for dark mode in its second line. */
const firstLine = (text: string) => text.split('\n')[0]!;
