import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { AppPasswordCheck } from './app-password-check.js';
import { ListAnySecretsHandler, RevokeAnySecretHandler } from './manage-secrets.js';
import { CreateOwnSecretHandler, ListOwnSecretsHandler, RevokeOwnSecretHandler } from './own-secrets.js';

@Module({
  imports: [CallerModule],
  providers: [
    AppPasswordCheck,
    CreateOwnSecretHandler,
    ListAnySecretsHandler,
    ListOwnSecretsHandler,
    RevokeAnySecretHandler,
    RevokeOwnSecretHandler,
  ],
  exports: [AppPasswordCheck],
})
export class NamedSecretsModule {}
