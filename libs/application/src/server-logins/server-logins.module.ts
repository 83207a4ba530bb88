import { Module } from '@nestjs/common';
import { LoginModule } from '../login/login.module.js';
import { NamedSecretsModule } from '../named-secrets/named-secrets.module.js';
import { CheckServerLoginHandler, FindServerAccountsHandler } from './server-logins.js';

@Module({
  imports: [LoginModule, NamedSecretsModule],
  providers: [CheckServerLoginHandler, FindServerAccountsHandler],
})
export class ServerLoginsModule {}
