import { Module } from '@nestjs/common';
import { CodeCheck } from './code-check.js';
import { LogInHandler } from './log-in.js';
import { PasswordCheck } from './password-check.js';

@Module({
  providers: [CodeCheck, PasswordCheck, LogInHandler],
  exports: [CodeCheck, PasswordCheck],
})
export class LoginModule {}
