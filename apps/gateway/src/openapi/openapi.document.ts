import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { envelopeSchema } from './api-envelope.decorator.js';

/** What the page at `/docs` loads. The rest of its package, among it the versions of our packages, is not for the public. */
const ASSETS = new Set([
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
]);

/** The OpenAPI document at `/openapi.json` and a page to read it at `/docs`; made at the first look, so that starting stays quick. */
export function documentApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Keyfold')
    .setDescription("OpenList's account API. Handled answers have HTTP status 200; the outcome is in `code`.")
    .setVersion('1')
    // Of the versions before it, null is no type.
    .setOpenAPIVersion('3.1.0')
    .addGlobalResponse({
      status: 'default',
      description:
        'What never reached its handler (404, 405, 413 and the like) and faults (500, 503); the code is the HTTP status.',
      content: { 'application/json': { schema: envelopeSchema({ type: 'null' }) } },
    })
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'Authorization', description: 'the token, bare or after `Bearer`' },
      'token',
    )
    .build();
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (route.url === '/docs/*') route.onRequest = onlyAssets;
    });
  SwaggerModule.setup('docs', app, () => withoutDoubles(SwaggerModule.createDocument(app, config)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
  });
}

const onlyAssets: onRequestHookHandler = ({ params }, reply, done) => {
  if (ASSETS.has((params as { '*': string })['*'])) done();
  else reply.callNotFound();
};

/** A route that takes any method is listed once per method, one of them unknown to OpenAPI; GET is enough to read about it. */
function withoutDoubles(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    'search' in item ? { get: item.get } : item,
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenAPIObject['paths'] };
}
