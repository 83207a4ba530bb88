import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { CodeCheck } from './code-check.js';
import { CheckFileServerLoginHandler, FindFileServerAccountsHandler } from './file-server-logins.js';
import { LogInHandler } from './log-in.js';
import { PasswordCheck } from './password-check.js';
import { SessionStart } from './session-start.js';

@Module({
  imports: [CallerModule],
  providers: [
    CodeCheck,
    PasswordCheck,
    SessionStart,
    CheckFileServerLoginHandler,
    FindFileServerAccountsHandler,
    LogInHandler,
  ],
  exports: [CodeCheck, PasswordCheck, SessionStart],
})
export class LoginModule {}
