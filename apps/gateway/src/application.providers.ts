import type { Provider } from '@nestjs/common';
import {
  AccountIds,
  AddOwnSshKeyHandler,
  StartTwoFactorEnrolmentHandler,
  CallerIdentifier,
  DisableOwnTwoFactorHandler,
  DisableTwoFactorHandler,
  GenerateRecoveryCodesHandler,
  ChangeOwnProfileHandler,
  ChangeSettingsHandler,
  Clock,
  CommandRunner,
  CurrentPrivacyMask,
  DeleteAccountHandler,
  DeleteSettingHandler,
  EndAnySessionHandler,
  EndOwnSessionHandler,
  EvictAnySessionsHandler,
  EvictOwnSessionsHandler,
  FindAccountHandler,
  FindSshKeyHandler,
  FirstStart,
  GetAccountHandler,
  GetOwnProfileHandler,
  GetSettingsHandler,
  GetSiteSettingsHandler,
  ListAccountsHandler,
  ListFactorySettingsHandler,
  ListAnySessionsHandler,
  ListOwnSessionsHandler,
  ListOwnSshKeysHandler,
  ListAnySshKeysHandler,
  ListSettingsHandler,
  LogInHandler,
  LogOutHandler,
  NewPasswords,
  OwnerProof,
  PasswordPolicy,
  EnableTwoFactorHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  RemoveOwnSshKeyHandler,
  ResetApiTokenHandler,
  SecurityLog,
  SettingList,
  SettingSecrets,
  SessionActivity,
  SessionEnding,
  UpdateAccountHandler,
  UpdateOwnSshKeyHandler,
  UserNames,
} from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { CommitFeed, Counter, EventStore, FeedLeases } from '@keyfold/event-store';
import { eventSourcingProviders } from '@keyfold/wiring';
import { KeyOwnerSearch, ReadModelStore, SessionUses, StreamLoader } from '@keyfold/projections';
import {
  DeviceTokens,
  EarlierTokenSecrets,
  LoginThrottle,
  PasswordHasher,
  Sealer,
  ThrottleStore,
  TokenSigner,
} from '@keyfold/security';
import { JwtService } from '@nestjs/jwt';
import { GatewayConfig } from './gateway.config.js';

const ISSUER = 'keyfold';

/** The services behind the handlers. Those that other processes also need come from the wiring library. */
const services: Provider[] = [
  ...eventSourcingProviders,
  {
    provide: AccountIds,
    inject: [Counter, GatewayConfig],
    useFactory: (counter: Counter, { accountIdBlock }: GatewayConfig) => new AccountIds(counter, accountIdBlock),
  },
  { provide: NameRules, inject: [GatewayConfig], useFactory: ({ nameRules }: GatewayConfig) => nameRules },
  {
    provide: NewPasswords,
    inject: [PasswordHasher, Sealer, Clock, GatewayConfig],
    useFactory: (hasher: PasswordHasher, sealer: Sealer, clock: Clock, config: GatewayConfig) =>
      new NewPasswords(hasher, sealer, clock, new PasswordPolicy(config.passwordRules)),
  },
  {
    provide: TokenSigner,
    inject: [JwtService, GatewayConfig, EarlierTokenSecrets],
    useFactory: (jwt: JwtService, { tokenHours }: GatewayConfig, earlier: EarlierTokenSecrets) =>
      new TokenSigner(jwt, { issuer: ISSUER, lifetimeHours: tokenHours }, earlier),
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
  {
    provide: CallerIdentifier,
    inject: [StreamLoader, TokenSigner, Sealer, Clock, SecurityLog, SessionActivity],
    useFactory: (
      loader: StreamLoader,
      tokens: TokenSigner,
      sealer: Sealer,
      clock: Clock,
      security: SecurityLog,
      activity: SessionActivity,
    ) => new CallerIdentifier(loader, tokens, sealer, clock, security, activity),
  },
  {
    provide: OwnerProof,
    inject: [CommandRunner, PasswordHasher, LoginThrottle, Sealer, Clock, SecurityLog],
    useFactory: (
      runner: CommandRunner,
      hasher: PasswordHasher,
      throttle: LoginThrottle,
      sealer: Sealer,
      clock: Clock,
      security: SecurityLog,
    ) => new OwnerProof(runner, hasher, throttle, sealer, clock, security),
  },
  {
    provide: SessionActivity,
    inject: [SessionUses, Clock],
    useFactory: (uses: SessionUses, clock: Clock) => new SessionActivity(uses, clock),
  },
  {
    provide: SessionEnding,
    inject: [StreamLoader, CommandRunner],
    useFactory: (loader: StreamLoader, runner: CommandRunner) => new SessionEnding(loader, runner),
  },
  {
    provide: FirstStart,
    inject: [EventStore, StreamLoader, CommandRunner, UserNames, NewPasswords, Sealer, SettingSecrets],
    useFactory: (
      store: EventStore,
      loader: StreamLoader,
      runner: CommandRunner,
      names: UserNames,
      passwords: NewPasswords,
      sealer: Sealer,
      secrets: SettingSecrets,
    ) => new FirstStart(store, loader, runner, names, passwords, sealer, secrets),
  },
  { provide: SettingSecrets, inject: [Sealer], useFactory: (sealer: Sealer) => new SettingSecrets(sealer) },
  {
    provide: SettingList,
    inject: [SettingSecrets, GatewayConfig],
    useFactory: (secrets: SettingSecrets, { version }: GatewayConfig) => new SettingList(secrets, version),
  },
  {
    provide: KeyOwnerSearch,
    inject: [CommitFeed, FeedLeases, ReadModelStore],
    useFactory: (feed: CommitFeed, leases: FeedLeases, readModels: ReadModelStore) =>
      new KeyOwnerSearch(feed, leases, readModels),
  },
  {
    provide: CurrentPrivacyMask,
    inject: [StreamLoader],
    useFactory: (loader: StreamLoader) => new CurrentPrivacyMask(loader),
  },
];

const handlers: Provider[] = [
  AddOwnSshKeyHandler,
  StartTwoFactorEnrolmentHandler,
  DisableOwnTwoFactorHandler,
  DisableTwoFactorHandler,
  GenerateRecoveryCodesHandler,
  ChangeOwnProfileHandler,
  ChangeSettingsHandler,
  DeleteAccountHandler,
  DeleteSettingHandler,
  EndAnySessionHandler,
  EndOwnSessionHandler,
  EvictAnySessionsHandler,
  EvictOwnSessionsHandler,
  FindAccountHandler,
  FindSshKeyHandler,
  GetAccountHandler,
  GetOwnProfileHandler,
  GetSettingsHandler,
  GetSiteSettingsHandler,
  ListAccountsHandler,
  ListFactorySettingsHandler,
  ListAnySessionsHandler,
  ListOwnSessionsHandler,
  ListOwnSshKeysHandler,
  ListAnySshKeysHandler,
  ListSettingsHandler,
  LogInHandler,
  LogOutHandler,
  EnableTwoFactorHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  RemoveOwnSshKeyHandler,
  ResetApiTokenHandler,
  UpdateAccountHandler,
  UpdateOwnSshKeyHandler,
];

/** The providers of the application layer: services and handlers. */
export const applicationProviders: Provider[] = [...services, ...handlers];
