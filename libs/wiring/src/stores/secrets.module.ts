import { Module, type DynamicModule } from '@nestjs/common';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { EarlierTokenSecrets, parseSealingKeys, parseTokenSecrets, Sealer } from '@keyfold/security';
import { createSecretKey } from 'node:crypto';
import type { Secrets } from '@keyfold/process';

/** What signs tokens and what seals secrets. */
@Module({})
export class SecretsModule {
  static forRoot({ KEYFOLD_TOKEN_SECRET, KEYFOLD_SEALING_KEY }: Secrets): DynamicModule {
    // Key objects, because a text is parsed anew for every token.
    const [first, ...earlier] = parseTokenSecrets(KEYFOLD_TOKEN_SECRET).map((secret) => ({
      secret: createSecretKey(Buffer.from(secret)),
    }));
    const verifiers = earlier.map((options) => new JwtService(options));
    return {
      module: SecretsModule,
      imports: [JwtModule.register(first!)],
      providers: [
        { provide: Sealer, useValue: new Sealer(parseSealingKeys(KEYFOLD_SEALING_KEY)) },
        { provide: EarlierTokenSecrets, useValue: new EarlierTokenSecrets(verifiers) },
      ],
      exports: [Sealer, JwtModule, EarlierTokenSecrets],
    };
  }
}
