import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { CodeCheck } from './code-check.js';
import { CheckFileServerLoginHandler, FindFileServerAccountsHandler } from './file-server-logins.js';
import { LogInHandler } from './log-in.js';
import { PasswordCheck } from './password-check.js';

@Module({
  imports: [CallerModule],
  providers: [CodeCheck, PasswordCheck, CheckFileServerLoginHandler, FindFileServerAccountsHandler, LogInHandler],
  exports: [CodeCheck, PasswordCheck],
})
export class LoginModule {}
