import type { Provider } from '@nestjs/common';
import {
  AccountIds,
  ActivityHistory,
  AppPasswordCheck,
  CallerIdentifier,
  CodeCheck,
  Clock,
  CommandRunner,
  CurrentPrivacyMask,
  FirstStart,
  LoginQueues,
  NewPasswords,
  OwnerProof,
  PasswordCheck,
  PasswordPolicy,
  SecurityLog,
  SettingList,
  SettingSecrets,
  TokenActivity,
  SessionEnding,
  UserNames,
} from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { CommitFeed, CommitHistory, Counter, EventStore, FeedLeases } from '@keyfold/event-store';
import { eventSourcingProviders } from '@keyfold/wiring';
import { KeyOwnerSearch, ReadModelStore, StreamLoader, TokenUses } from '@keyfold/projections';
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
import { applicationHandlers } from './application.handlers.js';
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
    inject: [StreamLoader, TokenSigner, Sealer, Clock, SecurityLog, TokenActivity],
    useFactory: (
      loader: StreamLoader,
      tokens: TokenSigner,
      sealer: Sealer,
      clock: Clock,
      security: SecurityLog,
      activity: TokenActivity,
    ) => new CallerIdentifier(loader, tokens, sealer, clock, security, activity),
  },
  {
    provide: PasswordCheck,
    inject: [UserNames, PasswordHasher, LoginQueues, LoginThrottle, Sealer],
    useFactory: (
      names: UserNames,
      hasher: PasswordHasher,
      queues: LoginQueues,
      throttle: LoginThrottle,
      sealer: Sealer,
    ) => new PasswordCheck(names, hasher, queues, throttle, sealer),
  },
  {
    provide: CodeCheck,
    inject: [CommandRunner, LoginThrottle, Sealer, Clock],
    useFactory: (runner: CommandRunner, throttle: LoginThrottle, sealer: Sealer, clock: Clock) =>
      new CodeCheck(runner, throttle, sealer, clock),
  },
  {
    provide: OwnerProof,
    inject: [PasswordHasher, LoginThrottle, Sealer, CodeCheck, SecurityLog],
    useFactory: (
      hasher: PasswordHasher,
      throttle: LoginThrottle,
      sealer: Sealer,
      codes: CodeCheck,
      security: SecurityLog,
    ) => new OwnerProof(hasher, throttle, sealer, codes, security),
  },
  {
    provide: ActivityHistory,
    inject: [CommitHistory, EventStore, ReadModelStore],
    useFactory: (history: CommitHistory, store: EventStore, readModels: ReadModelStore) =>
      new ActivityHistory(history, store, readModels),
  },
  {
    provide: TokenActivity,
    inject: [TokenUses, Clock],
    useFactory: (uses: TokenUses, clock: Clock) => new TokenActivity(uses, clock),
  },
  {
    provide: AppPasswordCheck,
    inject: [StreamLoader, Clock, TokenActivity, SecurityLog],
    useFactory: (loader: StreamLoader, clock: Clock, activity: TokenActivity, security: SecurityLog) =>
      new AppPasswordCheck(loader, clock, activity, security),
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

/** The providers of the application layer: services and handlers. */
export const applicationProviders: Provider[] = [...services, ...applicationHandlers];
