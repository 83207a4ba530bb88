import fastifyStatic from '@fastify/static';
import { Controller, Get, Inject, Injectable, Req, Res, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { Fault, UNKNOWN_PATH } from '@keyfold/http-envelope';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CONSOLE } from '../http/response-headers.hook.js';
import { OPENLIST_URL } from '../overview/feed-readers.js';
import { ClientAddress, lastOf } from '../request/client-address.js';

/** The build puts the console beside the app. A program that runs from its sources has none. */
const BUILT = fileURLToPath(new URL('./console/', import.meta.url));

/** Lets the console run its own files and call the API, and nothing else: no inline code, no other site, no HTML from text. */
const protectConsole = (scripts: string) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [scripts],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        // The QR code of an enrolment.
        imgSrc: ["'self'", 'data:'],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    strictTransportSecurity: false,
  });

/** A host that a policy can name. CSP 3 excludes IPv4 addresses, but all browsers compare them as text. IPv6 addresses do not fit its grammar. */
const HOST = /^[a-z\d.-]+$/i;

/** The built console, if it is on. */
@Injectable()
export class ConsoleFiles implements OnModuleInit {
  /** The page, with paths that begin at the root. */
  readonly page: string | undefined;

  constructor(
    isOn: boolean,
    private readonly server: () => FastifyInstance,
  ) {
    if (isOn && existsSync(`${BUILT}index.html`)) this.page = readFileSync(`${BUILT}index.html`, 'utf8');
  }

  /** Serves the files, whose names change with their contents, in the compressed forms that the build made. */
  onModuleInit(): void {
    if (this.page === undefined) return;
    // Awaiting it would start the server before Nest has set its error handler.
    void this.server().register(fastifyStatic, {
      root: `${BUILT}assets`,
      prefix: `${CONSOLE}/assets/`,
      preCompressed: true,
      decorateReply: false,
      index: false,
      immutable: true,
      maxAge: '1y',
    });
  }

  static readonly provider = (isOn: boolean) => ({
    provide: ConsoleFiles,
    inject: [HttpAdapterHost],
    useFactory: ({ httpAdapter }: HttpAdapterHost) => new ConsoleFiles(isOn, () => httpAdapter.getInstance()),
  });
}

/** Serves the page of the console at each of its addresses. */
@ApiExcludeController()
@Controller(CONSOLE)
export class ConsoleController {
  constructor(
    @Inject(ConsoleFiles) private readonly files: ConsoleFiles,
    @Inject(OPENLIST_URL) private readonly openlistUrl: string | undefined,
    private readonly addresses: ClientAddress,
  ) {}

  @Get(['', '*'])
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (this.files.page === undefined) throw new Fault(404, UNKNOWN_PATH);
    // Here, and not by the address: `/@accoun%74` is the same.
    protectConsole(this.#scripts(request))(request.raw, reply.raw, () => undefined);
    // Relative, so that the console also works below a path that a proxy strips.
    const depth = request.originalUrl.split('?', 1)[0]!.split('/').length - 3;
    const base = depth < 0 ? `.${CONSOLE}/` : '../'.repeat(depth) || './';
    reply
      .code(200)
      .type('text/html; charset=utf-8')
      .send(this.files.page.replaceAll(`${CONSOLE}/`, base));
  }

  /** Returns the source of the page's scripts. In front of OpenList, everybody's files have the same origin. A proxy may leave out the port. */
  #scripts(request: FastifyRequest): string {
    const { host, 'x-forwarded-host': forwarded } = request.headers;
    const named = this.addresses.isProxied(request) ? (lastOf(forwarded) ?? host) : host;
    const name = named?.replace(/:\d*$/, '') ?? '';
    return this.openlistUrl !== undefined && HOST.test(name) ? `${name}:*${CONSOLE}/assets/` : "'self'";
  }
}
