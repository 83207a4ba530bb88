import { Logger, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { ACCOUNT_ID_BLOCK, ApplicationModule, Clock, PasswordPolicy, SERVICE_VERSION } from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { DeviceTokens, EarlierTokenSecrets, LoginThrottle, ThrottleStore, TokenSigner } from '@keyfold/security';
import { EventSourcingModule } from '@keyfold/wiring';
import { AccessTokenAdministrationController } from './access-tokens/access-token-administration.controller.js';
import { AccessTokenController } from './access-tokens/access-token.controller.js';
import { AppPasswordAdministrationController } from './app-passwords/app-password-administration.controller.js';
import { AppPasswordController } from './app-passwords/app-password.controller.js';
import { ActivityAdministrationController } from './activity/activity-administration.controller.js';
import { ActivityController } from './activity/activity.controller.js';
import { ActivityExport } from './activity/activity-export.js';
import { AccountAdministrationController } from './accounts/account-administration.controller.js';
import { GatewayConfig } from './gateway.config.js';
import { DisabledFeaturesController } from './disabled-features/disabled-features.controller.js';
import { ProfileController } from './profile/profile.controller.js';
import { processServices } from './process-services.providers.js';
import { PublicEventDocuments } from './public-events/public-event-documents.js';
import { PublicEventsController } from './public-events/public-events.controller.js';
import { ClientAddress } from './request/client-address.js';
import { IdempotentCommands } from './request/idempotent-commands.js';
import { LoginController } from './session/login.controller.js';
import { SessionAdministrationController } from './session/session-administration.controller.js';
import { SessionController } from './session/session.controller.js';
import { PublicController } from './settings/public.controller.js';
import { PublicSettingsCache } from './settings/public-settings-cache.js';
import { SettingAdministrationController } from './settings/setting-administration.controller.js';
import { SiteController } from './settings/site.controller.js';
import { SshKeyAdministrationController } from './ssh-keys/ssh-key-administration.controller.js';
import { SshKeySearchController } from './ssh-keys/ssh-key-search.controller.js';
import { SshKeyController } from './ssh-keys/ssh-key.controller.js';
import { TwoFactorController } from './two-factor/two-factor.controller.js';
import { WelcomeController } from './welcome/welcome.controller.js';

const ISSUER = 'keyfold';

/** Provides what the commands and queries of the API need besides the stores. */
const applicationServices = (config: GatewayConfig): Provider[] => [
  { provide: ACCOUNT_ID_BLOCK, useValue: config.accountIdBlock },
  { provide: SERVICE_VERSION, useValue: config.version },
  { provide: NameRules, useValue: config.nameRules },
  { provide: PasswordPolicy, useValue: new PasswordPolicy(config.passwordRules) },
  {
    provide: TokenSigner,
    inject: [JwtService, EarlierTokenSecrets],
    useFactory: (jwt: JwtService, earlier: EarlierTokenSecrets) =>
      new TokenSigner(jwt, { issuer: ISSUER, lifetimeHours: config.tokenHours }, earlier),
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

@Module({})
export class GatewayModule {
  /**
   * Returns the module that serves the API. `ports` are the modules that provide `JwtService`, `EarlierTokenSecrets`, `Sealer` and the
   * adapters of `EventStore`, `CommitHistory`, `Counter`, `ReadModelStore` and `ThrottleStore`. `services` provide `PasswordHasher`,
   * `HashDurations`, `LoginQueues`, `StreamQueue` and `SecurityLog`.
   */
  static forRoot(
    ports: readonly DynamicModule[],
    config: GatewayConfig,
    services: readonly Provider[] = processServices,
  ): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        EventSourcingModule.forRoot(ports, [
          { provide: GatewayConfig, useValue: config },
          ...services,
          ...applicationServices(config),
        ]),
        ApplicationModule,
      ],
      controllers: [
        SiteController,
        PublicController,
        LoginController,
        TwoFactorController,
        ProfileController,
        SshKeyController,
        AccountAdministrationController,
        SshKeyAdministrationController,
        SshKeySearchController,
        SettingAdministrationController,
        AccessTokenController,
        AccessTokenAdministrationController,
        AppPasswordController,
        AppPasswordAdministrationController,
        SessionController,
        SessionAdministrationController,
        ActivityController,
        ActivityAdministrationController,
        DisabledFeaturesController,
        PublicEventsController,
        WelcomeController,
      ],
      providers: [
        { provide: ActivityExport, useFactory: () => new ActivityExport() },
        PublicEventDocuments,
        IdempotentCommands,
        {
          provide: ClientAddress,
          inject: [GatewayConfig],
          useFactory: ({ trustedProxies }: GatewayConfig) => {
            const log = new Logger('ClientAddress');
            return new ClientAddress(trustedProxies, (peer) =>
              log.warn(
                { peer },
                'ignored a forwarded address: if the peer is your proxy, add it to KEYFOLD_TRUSTED_PROXIES',
              ),
            );
          },
        },
        {
          provide: PublicSettingsCache,
          inject: [GatewayConfig],
          useFactory: ({ version }: GatewayConfig) => new PublicSettingsCache(version),
        },
      ],
      exports: [ApplicationModule],
    };
  }
}

export { gatewayConfig, ID_BLOCK } from './gateway.config.js';
export { serveApi } from './serve-api.js';
export { threadsOnMongo, type ThreadOptions } from './threads/open-threads.js';
