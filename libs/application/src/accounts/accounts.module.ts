import { Module } from '@nestjs/common';
import { NamedSecretsModule } from '../named-secrets/named-secrets.module.js';
import { FindAccountHandler, GetAccountHandler, ListAccountsHandler } from './find-accounts.js';
import {
  AccountIds,
  DeleteAccountHandler,
  RegisterAccountHandler,
  SetPasswordHandler,
  UnlockAccountHandler,
  UpdateAccountFieldsHandler,
  UpdateAccountHandler,
} from './manage-accounts.js';
import { NewPasswords } from './new-passwords.js';
import { ChangeOwnProfileHandler } from './own-profile.js';

@Module({
  imports: [NamedSecretsModule],
  providers: [
    AccountIds,
    NewPasswords,
    ChangeOwnProfileHandler,
    DeleteAccountHandler,
    FindAccountHandler,
    GetAccountHandler,
    ListAccountsHandler,
    RegisterAccountHandler,
    SetPasswordHandler,
    UnlockAccountHandler,
    UpdateAccountFieldsHandler,
    UpdateAccountHandler,
  ],
  exports: [NewPasswords],
})
export class AccountsModule {}
