import { Module } from '@nestjs/common';
import { LoginModule } from '../login/login.module.js';
import { NamedSecretsModule } from '../named-secrets/named-secrets.module.js';
import { CheckFileServerLoginHandler, FindFileServerAccountsHandler } from './file-server-logins.js';

@Module({
  imports: [LoginModule, NamedSecretsModule],
  providers: [CheckFileServerLoginHandler, FindFileServerAccountsHandler],
})
export class FileServerLoginsModule {}
