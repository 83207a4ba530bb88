import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { LoginModule } from '../login/login.module.js';
import { GetSetupHandler, SetUpAdminHandler } from './set-up-admin.js';
import { Setup } from './setup.js';

@Module({
  imports: [AccountsModule, LoginModule],
  providers: [Setup, GetSetupHandler, SetUpAdminHandler],
  exports: [Setup],
})
export class SetupModule {}
