import { Module } from '@nestjs/common';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { LoginModule } from '../login/login.module.js';
import { CheckServerLoginHandler, FindServerAccountsHandler } from './server-logins.js';

@Module({
  imports: [AppPasswordsModule, LoginModule],
  providers: [CheckServerLoginHandler, FindServerAccountsHandler],
})
export class ServerLoginsModule {}
