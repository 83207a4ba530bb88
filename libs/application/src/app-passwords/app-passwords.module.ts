import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { AppPasswordCheck } from './app-password-check.js';
import { ListAnyAppPasswordsHandler, RevokeAnyAppPasswordHandler } from './manage-app-passwords.js';
import {
  CreateOwnAppPasswordHandler,
  ListOwnAppPasswordsHandler,
  RevokeOwnAppPasswordHandler,
} from './own-app-passwords.js';

@Module({
  imports: [CallerModule],
  providers: [
    AppPasswordCheck,
    CreateOwnAppPasswordHandler,
    ListAnyAppPasswordsHandler,
    ListOwnAppPasswordsHandler,
    RevokeAnyAppPasswordHandler,
    RevokeOwnAppPasswordHandler,
  ],
  exports: [AppPasswordCheck],
})
export class AppPasswordsModule {}
