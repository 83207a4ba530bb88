import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Fault, UNKNOWN_PATH } from '@keyfold/http-envelope';
import { serviceVersion } from '@keyfold/process';
import type { FastifyReply } from 'fastify';
import { CONSOLE, isWelcomePageRequest } from '../http/response-headers.hook.js';
import type { KeyfoldRequest } from '../request/request-reading.js';
import { ConsoleFiles } from './console.controller.js';
import { html, htmlPage, PAGE_CSP, type Html } from './html.js';

/** Creates the page for people who open the address of the service in a browser. */
const welcomePage = (version: string): Html =>
  htmlPage(
    'Keyfold',
    html`<h1>Keyfold</h1>
      <p>
        This is ${version}, an account service that implements the account API of OpenList. It serves front ends and
        other programs and has no web interface of its own.
      </p>
      <ul>
        <li><a href="/docs">API documentation</a>: read about every route and try it</li>
        <li><a href="/docs/events">Public events</a>: the events that other services receive over RabbitMQ</li>
        <li><code>README.md</code> in Keyfold's source folder: links to settings, commands and a tour</li>
      </ul>
      <h2>The admin's password</h2>
      <p>
        The first start shows the password of the account <code>admin</code> once, unless you set it in the settings. To
        change or replace it, run the operator's command:
      </p>
      <pre>keyfold account set-password admin</pre>
      <p>With Docker Compose, run this command in the folder of <code>docker-compose.yml</code>:</p>
      <pre>docker compose exec gateway keyfold account set-password admin</pre>`,
  );

/** Serves the root path: browsers get the console, or a page if it is off; for other clients the path does not exist, with any method (wire contract 1.2). */
@ApiExcludeController()
@Controller()
export class WelcomeController {
  readonly #page = welcomePage(serviceVersion).source;

  constructor(private readonly files: ConsoleFiles) {}

  @All()
  page(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): void {
    if (!isWelcomePageRequest(request)) throw new Fault(404, UNKNOWN_PATH);
    reply.header('content-security-policy', PAGE_CSP).header('vary', 'Accept');
    if (this.files.page !== undefined) return void reply.redirect(`.${CONSOLE}`, 302);
    reply.code(200).type('text/html; charset=utf-8').send(this.#page);
  }
}
