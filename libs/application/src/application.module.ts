import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { ActivityModule } from './activity/activity.module.js';
import { CallerModule } from './caller/caller.module.js';
import { LoginModule } from './login/login.module.js';
import { NamedSecretsModule } from './named-secrets/named-secrets.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SettingsModule } from './settings/settings.module.js';
import { SshKeysModule } from './ssh-keys/ssh-keys.module.js';
import { SetupModule } from './setup/setup.module.js';
import { TwoFactorModule } from './two-factor/two-factor.module.js';
import { FirstStart } from './accounts/first-start.js';

const features = [
  AccountsModule,
  ActivityModule,
  CallerModule,
  LoginModule,
  NamedSecretsModule,
  SessionsModule,
  SettingsModule,
  SetupModule,
  SshKeysModule,
  TwoFactorModule,
];

/**
 * Every command and query of the service. Needs a global module with the ports: the stores, the clock, the runner of commands, and what the
 * process decides (`ACCOUNT_ID_BLOCK`, `SERVICE_VERSION`, `SETUP_RULES`, `NameRules`, `PasswordPolicy`, `RecentLogins`).
 */
@Module({ imports: features, providers: [FirstStart], exports: [FirstStart, ...features] })
export class ApplicationModule {}
