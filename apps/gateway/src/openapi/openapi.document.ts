import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { envelopeSchema } from './api-envelope.decorator.js';

/** The files that the page at `/docs` loads. The other files of their package are not public. */
const ASSETS = new Set([
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
]);

/** Serves the OpenAPI document at `/openapi.json` and as a page at `/docs`. Both are created on first use, so that startup stays fast. */
export function documentApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Keyfold')
    .setDescription("OpenList's account API. Every handled request gets HTTP status 200; `code` contains the outcome.")
    .setVersion('1')
    // Earlier versions have no null type.
    .setOpenAPIVersion('3.1.0')
    .addGlobalResponse({
      status: 'default',
      description:
        'The request did not reach a handler (404, 405, 413 and others) or could not be handled (500, 503). `code` equals the HTTP status.',
      content: { 'application/json': { schema: envelopeSchema({ type: 'null' }) } },
    })
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The token, with or without `Bearer` before it.',
      },
      'token',
    )
    .build();
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (route.url === '/docs/*') route.onRequest = onlyAssets;
    });
  SwaggerModule.setup('docs', app, () => withoutDuplicates(SwaggerModule.createDocument(app, config)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
  });
}

const onlyAssets: onRequestHookHandler = ({ params }, reply, done) => {
  if (ASSETS.has((params as { '*': string })['*'])) done();
  else reply.callNotFound();
};

/** Keeps only GET of routes that accept any method. Nest lists them once per method, including SEARCH, which OpenAPI does not know. */
function withoutDuplicates(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    'search' in item ? { get: item.get } : item,
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenAPIObject['paths'] };
}
