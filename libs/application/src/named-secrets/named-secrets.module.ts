import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { TwoFactorModule } from '../two-factor/two-factor.module.js';
import { ListAnySecretsHandler, RevokeAnySecretHandler } from './manage-secrets.js';
import { CreateOwnSecretHandler, ListOwnSecretsHandler, RevokeOwnSecretHandler } from './own-secrets.js';
import { RevokeEverythingHandler, RevokeOwnEverythingHandler } from './revoke-everything.js';
import { SecretRevocation } from './secret-revocation.js';

@Module({
  imports: [CallerModule, TwoFactorModule],
  providers: [
    SecretRevocation,
    CreateOwnSecretHandler,
    ListAnySecretsHandler,
    ListOwnSecretsHandler,
    RevokeAnySecretHandler,
    RevokeEverythingHandler,
    RevokeOwnEverythingHandler,
    RevokeOwnSecretHandler,
  ],
  exports: [SecretRevocation],
})
export class NamedSecretsModule {}
