import { Module } from '@nestjs/common';
import { NamedSecretsModule } from '../named-secrets/named-secrets.module.js';
import { CodeCheck } from './code-check.js';
import { CheckFileServerLoginHandler, FindFileServerAccountsHandler } from './file-server-logins.js';
import { LogInHandler } from './log-in.js';
import { PasswordCheck } from './password-check.js';

@Module({
  imports: [NamedSecretsModule],
  providers: [CodeCheck, PasswordCheck, CheckFileServerLoginHandler, FindFileServerAccountsHandler, LogInHandler],
  exports: [CodeCheck, PasswordCheck],
})
export class LoginModule {}
