import { Module, type DynamicModule } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { parseSealingKeys, Sealer } from '@keyfold/security';
import { createSecretKey } from 'node:crypto';
import type { Secrets } from '../settings/settings.js';

/** What signs tokens and what seals secrets. */
@Module({})
export class SecretsModule {
  static forRoot({ KEYFOLD_TOKEN_SECRET, KEYFOLD_SEALING_KEY }: Secrets): DynamicModule {
    return {
      module: SecretsModule,
      // A key object, because a text is parsed anew for every token.
      imports: [JwtModule.register({ secret: createSecretKey(Buffer.from(KEYFOLD_TOKEN_SECRET)) })],
      providers: [{ provide: Sealer, useValue: new Sealer(parseSealingKeys(KEYFOLD_SEALING_KEY)) }],
      exports: [Sealer, JwtModule],
    };
  }
}
