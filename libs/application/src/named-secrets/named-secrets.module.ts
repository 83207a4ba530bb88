import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { ListAnySecretsHandler, RevokeAnySecretHandler } from './manage-secrets.js';
import { CreateOwnSecretHandler, ListOwnSecretsHandler, RevokeOwnSecretHandler } from './own-secrets.js';

@Module({
  imports: [CallerModule],
  providers: [
    CreateOwnSecretHandler,
    ListAnySecretsHandler,
    ListOwnSecretsHandler,
    RevokeAnySecretHandler,
    RevokeOwnSecretHandler,
  ],
})
export class NamedSecretsModule {}
