import { Logger, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import {
  ACCOUNT_ID_BLOCK,
  ApplicationModule,
  Clock,
  LoginProblems,
  PasswordPolicy,
  RecentLogins,
  SERVICE_VERSION,
  SETUP_RULES,
  type SetupRules,
} from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { openlistOf, passwordRules, serviceVersion, type ApiSettings } from '@keyfold/process';
import { DeviceTokens, EarlierTokenSecrets, LoginThrottle, ThrottleStore, TokenSigner } from '@keyfold/security';
import { reasonOf } from '@keyfold/reporting';
import { EventSourcingModule } from '@keyfold/wiring';
import { AccountAdministrationController } from './accounts/account-administration.controller.js';
import { ActivityExport } from './accounts/activity-export.js';
import { ActivityController } from './accounts/activity.controller.js';
import { ProfileController } from './accounts/profile.controller.js';
import { LoginController } from './login/login.controller.js';
import { SessionController } from './login/session.controller.js';
import { SetupController } from './login/setup.controller.js';
import { TwoFactorController } from './login/two-factor.controller.js';
import { openListParts } from './openlist/openlist.providers.js';
import { OverviewController } from './overview/overview.controller.js';
import { OPENLIST_URL } from './overview/feed-readers.js';
import { ParkedController } from './overview/parked.controller.js';
import { ClientAddress } from './request/client-address.js';
import { IdempotentCommands } from './request/idempotent-commands.js';
import { AccessTokenController } from './secrets/access-token.controller.js';
import { AppPasswordController } from './secrets/app-password.controller.js';
import { ConsoleController, ConsoleFiles } from './site/console.controller.js';
import { DisabledFeaturesController } from './site/disabled-features.controller.js';
import { PublicEventsController } from './site/public-events.controller.js';
import { PublicController } from './site/public.controller.js';
import { SettingAdministrationController } from './site/setting-administration.controller.js';
import { SiteController } from './site/site.controller.js';
import { WelcomeController } from './site/welcome.controller.js';
import { SshKeyAdministrationController } from './ssh-keys/ssh-key-administration.controller.js';
import { SshKeyController } from './ssh-keys/ssh-key.controller.js';

const ISSUER = 'keyfold';
const DAY_MS = 86_400_000;

/** Sizes of a block of account ids. Blocks of 1 leave no gaps and cost nothing with the embedded store. */
export const ID_BLOCK = { embedded: 1, shared: 32 } as const;

/** Provides what the commands and queries of the API need besides the stores. */
const applicationServices = (settings: ApiSettings, accountIdBlock: number): Provider[] => [
  { provide: ACCOUNT_ID_BLOCK, useValue: accountIdBlock },
  { provide: SERVICE_VERSION, useValue: serviceVersion },
  {
    provide: SETUP_RULES,
    useValue: {
      isOffered: settings.KEYFOLD_CONSOLE === 'on' && settings.KEYFOLD_ADMIN_PASSWORD === undefined,
      days: settings.KEYFOLD_SESSION_DAYS,
    } satisfies SetupRules,
  },
  {
    provide: NameRules,
    useValue: new NameRules(settings.KEYFOLD_RELEASED_NAME_DAYS * DAY_MS, settings.KEYFOLD_SYSTEM_NAMES),
  },
  { provide: PasswordPolicy, useValue: new PasswordPolicy(passwordRules(settings)) },
  // Here it ends before the store, where it then leaves its last counts.
  RecentLogins,
  { provide: LoginProblems, useValue: { hashNotReplaced: reportKeptHash } },
  {
    provide: TokenSigner,
    inject: [JwtService, EarlierTokenSecrets],
    useFactory: (jwt: JwtService, earlier: EarlierTokenSecrets) =>
      new TokenSigner(jwt, { issuer: ISSUER, lifetimeHours: settings.KEYFOLD_TOKEN_HOURS }, earlier),
  },
  {
    provide: DeviceTokens,
    inject: [JwtService, EarlierTokenSecrets],
    useFactory: (jwt: JwtService, earlier: EarlierTokenSecrets) => new DeviceTokens(jwt, earlier),
  },
  {
    provide: LoginThrottle,
    inject: [ThrottleStore, Clock],
    useFactory: (store: ThrottleStore, clock: Clock) => new LoginThrottle(store, () => clock.now()),
  },
];

const reportKeptHash = (account: number, error: unknown) =>
  new Logger('Login').warn(
    { account, reason: reasonOf(error) },
    'the login succeeded, but the imported password hash could not be replaced. The next login retries',
  );

const UNTRUSTED = 'ignored a forwarded address: if the peer is your proxy, add it to KEYFOLD_TRUSTED_PROXIES';

@Module({})
export class GatewayModule {
  /**
   * Returns the module that serves the API. `ports` are the modules that provide `JwtService`, `EarlierTokenSecrets`, `Sealer` and the
   * adapters of `EventStore`, `CommitHistory`, `Counter`, `ReadModelStore` and `ThrottleStore`. `accountIdBlock` is the number of account ids
   * that the process takes from the store at once. `services` provide `PasswordHasher`, `HashDurations`, `LoginQueues`, `StreamQueue`,
   * `SecurityLog` and `ProcessState`.
   */
  static forRoot(
    ports: readonly DynamicModule[],
    settings: ApiSettings,
    accountIdBlock: number,
    services: readonly Provider[],
  ): DynamicModule {
    const openlist = openListParts(settings);
    return {
      module: GatewayModule,
      imports: [
        EventSourcingModule.forRoot(ports, [...services, ...applicationServices(settings, accountIdBlock)]),
        ApplicationModule,
        ...openlist.modules,
      ],
      controllers: [
        SiteController,
        PublicController,
        LoginController,
        SetupController,
        TwoFactorController,
        ProfileController,
        SshKeyController,
        AccountAdministrationController,
        SshKeyAdministrationController,
        SettingAdministrationController,
        AccessTokenController,
        AppPasswordController,
        SessionController,
        ActivityController,
        OverviewController,
        ParkedController,
        DisabledFeaturesController,
        PublicEventsController,
        WelcomeController,
        ConsoleController,
      ],
      providers: [
        { provide: ActivityExport, useFactory: () => new ActivityExport() },
        IdempotentCommands,
        { provide: ClientAddress, useValue: new ClientAddress(settings.KEYFOLD_TRUSTED_PROXIES, UNTRUSTED) },
        ConsoleFiles.provider(settings.KEYFOLD_CONSOLE === 'on'),
        { provide: OPENLIST_URL, useValue: openlistOf(settings)?.url },
        ...openlist.providers,
      ],
      exports: [ApplicationModule, ...openlist.modules],
    };
  }
}

export { serveApi } from './serve-api.js';
export { processServices } from './threads/process-services.js';
export { threadsOnMongo, type ThreadOptions } from './threads/open-threads.js';
