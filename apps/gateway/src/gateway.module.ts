import { Logger, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { ACCOUNT_ID_BLOCK, ApplicationModule, Clock, PasswordPolicy, SERVICE_VERSION } from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { DeviceTokens, EarlierTokenSecrets, LoginThrottle, ThrottleStore, TokenSigner } from '@keyfold/security';
import { EventSourcingModule } from '@keyfold/wiring';
import { AccountAdministrationController } from './accounts/account-administration.controller.js';
import { ActivityExport } from './accounts/activity-export.js';
import { ActivityController } from './accounts/activity.controller.js';
import { ProfileController } from './accounts/profile.controller.js';
import { GatewayConfig } from './gateway.config.js';
import { LoginController } from './login/login.controller.js';
import { SessionController } from './login/session.controller.js';
import { TwoFactorController } from './login/two-factor.controller.js';
import { ClientAddress } from './request/client-address.js';
import { IdempotentCommands } from './request/idempotent-commands.js';
import { AccessTokenController } from './secrets/access-token.controller.js';
import { AppPasswordController } from './secrets/app-password.controller.js';
import { DisabledFeaturesController } from './site/disabled-features.controller.js';
import { PublicEventDocuments, PublicEventsController } from './site/public-events.controller.js';
import { PublicController, PublicSettingsCache } from './site/public.controller.js';
import { SettingAdministrationController } from './site/setting-administration.controller.js';
import { SiteController } from './site/site.controller.js';
import { WelcomeController } from './site/welcome.controller.js';
import { SshKeyAdministrationController } from './ssh-keys/ssh-key-administration.controller.js';
import { SshKeyController } from './ssh-keys/ssh-key.controller.js';
import { processServices } from './threads/process-services.js';

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
    services: readonly Provider[] = processServices(config.hashing),
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
        SettingAdministrationController,
        AccessTokenController,
        AppPasswordController,
        SessionController,
        ActivityController,
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
