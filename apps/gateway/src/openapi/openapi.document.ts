import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The OpenAPI document at `/openapi.json` and a page to read it at `/docs`; made at the first look, so that starting stays quick. */
export function documentApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Keyfold')
    .setDescription("OpenList's account API. Handled answers have HTTP status 200; the outcome is in `code`.")
    .setVersion('1')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'Authorization', description: 'the token, bare or after `Bearer`' },
      'token',
    )
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'openapi.json',
  });
}
