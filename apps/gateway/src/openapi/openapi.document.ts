import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { version } from '@keyfold/process';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

export type Schema = Record<string, unknown>;

/** Returns the schema of the envelope around data (wire contract 1.1). */
export const envelopeSchema = (data: Schema) => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  additionalProperties: false,
  properties: {
    code: { type: 'integer', description: '200 for success, 4xx or 5xx for a refusal.' },
    message: { type: 'string', description: '`success`, or the reason for the refusal.' },
    data,
    server_time: {
      type: 'integer',
      description: 'Only with a refused 2FA code: the time of the server, in unix seconds.',
    },
  },
});

/** The files that the page at `/docs` loads. The other files of their package are not public. */
const ASSETS = new Set([
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
]);

const DESCRIPTION = `OpenList's account API.

Every handled request gets HTTP status 200, and \`code\` contains the outcome: 200, or the code of a refusal. The description of each operation
lists its refusals in the order of the checks; \`…\` stands for a text that depends on the request.

Log in with \`POST /api/auth/login\` and send the token in the header \`Authorization\`.`;

/** The groups of operations, in the order of the page. */
const TAGS = {
  login: 'Log in and out.',
  profile: "Read and change the caller's account.",
  'SSH keys': "List, add and delete the caller's public keys.",
  'two-factor': 'Turn login with one-time codes on and off, and generate recovery codes.',
  administration: 'Manage every account and its keys. Only for administrators.',
  sessions: 'List sessions and end them.',
  activity: 'See who changed what, when and from where.',
  'access tokens': 'Create tokens for programs, list them and revoke them.',
  'app passwords': 'Create passwords for WebDAV, FTP and SFTP clients, list them and revoke them.',
  settings: 'Read and change the settings of the site. Only for administrators.',
  public: 'Operations that need no token.',
};

/** The texts of a document. `faults` describes the answers to requests that failed, `tags` the groups of operations. */
export type DocumentTexts = Readonly<{
  title: string;
  description: string;
  faults: string;
  authorization: string;
  /** The secrets of requests beside the token in `Authorization`, by the name that routes use. */
  secrets?: Readonly<Record<string, Parameters<DocumentBuilder['addSecurity']>[1]>>;
  tags: Readonly<Record<string, string>>;
}>;

const API_TEXTS: DocumentTexts = {
  title: 'Keyfold',
  description: DESCRIPTION,
  faults:
    'The request did not reach a handler (404, 405, 413 and others) or could not be handled (500, 503). `code` equals the HTTP status.',
  authorization:
    'The token of a session, an access token, or the static token, with or without `Bearer` before it. Each operation names the ' +
    'scope that an access token needs.',
  tags: TAGS,
};

/** Serves the OpenAPI document of the API at `/openapi.json` and as a page at `/docs`. */
export function documentApi(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (route.url === '/docs/*') route.onRequest = onlyAssets;
    });
  serveDocument(app, API_TEXTS, true);
}

/** Serves the OpenAPI document of an application at `/openapi.json`. It is created on first use, so that startup stays fast. */
export function serveDocument(app: NestFastifyApplication, texts: DocumentTexts, ui: boolean): void {
  let completed: Promise<OpenAPIObject> | undefined;
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, documentConfig(texts)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    ui,
    customSiteTitle: `${texts.title} ${version}`,
    // Loads the examples on first use.
    patchDocumentOnRequest: (_request, _reply, document) =>
      (completed ??= import('./complete-document.js').then(({ completeDocument }) => completeDocument(document))),
  });
}

function documentConfig({ title, description, faults, authorization, secrets = {}, tags }: DocumentTexts) {
  const builder = new DocumentBuilder()
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    // Earlier versions have no null type.
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'The service that returned this document')
    .addGlobalResponse({
      status: 'default',
      description: faults,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
    })
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: authorization,
      },
      'token',
    );
  for (const [name, scheme] of Object.entries(secrets)) builder.addSecurity(name, scheme);
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  const config = builder.build();
  const schemas = { Fault: envelopeSchema({ type: 'null' }) };
  return { ...config, components: { ...config.components, schemas } } as Omit<OpenAPIObject, 'paths'>;
}

const onlyAssets: onRequestHookHandler = ({ params }, reply, done) => {
  if (ASSETS.has((params as { '*': string })['*'])) done();
  else reply.callNotFound();
};
