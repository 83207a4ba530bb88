import { Logger, type Provider } from '@nestjs/common';
import {
  AccountIds,
  AddOwnSshKeyHandler,
  BeginTwoFactorEnrolmentHandler,
  CallerIdentifier,
  CancelTwoFactorHandler,
  ChangeOwnProfileHandler,
  Clock,
  CommandRunner,
  DeleteAccountHandler,
  FindAccountHandler,
  FirstStart,
  GetAccountHandler,
  GetOwnProfileHandler,
  GetSiteSettingsHandler,
  ListAccountsHandler,
  ListOwnSshKeysHandler,
  ListSshKeysOfHandler,
  LogInHandler,
  LogOutHandler,
  NewPasswords,
  ProveTwoFactorEnrolmentHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  RemoveOwnSshKeyHandler,
  SystemClock,
  UpdateAccountHandler,
  UserNames,
} from '@keyfold/application';
import { Counter, EventStore } from '@keyfold/event-store';
import { Projection, ReadModelStore, StreamLoader } from '@keyfold/projections';
import {
  Argon2PasswordHasher,
  LoginThrottle,
  PasswordHasher,
  Sealer,
  ThrottleStore,
  TokenSigner,
} from '@keyfold/security';
import { JwtService } from '@nestjs/jwt';
import { GatewayConfig } from './gateway.config.js';

const ISSUER = 'keyfold';
const log = new Logger('Projection');

/** Plain classes, wired here and nowhere else. */
const services: Provider[] = [
  { provide: Clock, useClass: SystemClock },
  {
    provide: StreamLoader,
    inject: [EventStore, ReadModelStore],
    useFactory: (store: EventStore, readModels: ReadModelStore) => new StreamLoader(store, readModels),
  },
  {
    provide: Projection,
    inject: [StreamLoader, ReadModelStore, Clock],
    useFactory: (loader: StreamLoader, readModels: ReadModelStore, clock: Clock) =>
      new Projection(loader, readModels, () => clock.now()),
  },
  {
    provide: CommandRunner,
    inject: [EventStore, StreamLoader, Projection, Clock],
    useFactory: (store: EventStore, loader: StreamLoader, projection: Projection, clock: Clock) =>
      new CommandRunner(store, loader, projection, clock, (error) =>
        log.warn(`a list is behind for a moment: ${String(error)}`),
      ),
  },
  {
    provide: UserNames,
    inject: [EventStore, StreamLoader],
    useFactory: (store: EventStore, loader: StreamLoader) => new UserNames(store, loader),
  },
  {
    provide: AccountIds,
    inject: [Counter, GatewayConfig],
    useFactory: (counter: Counter, { accountIdBlock }: GatewayConfig) => new AccountIds(counter, accountIdBlock),
  },
  {
    provide: PasswordHasher,
    inject: [GatewayConfig],
    useFactory: ({ hashing }: GatewayConfig) => new Argon2PasswordHasher(hashing),
  },
  {
    provide: NewPasswords,
    inject: [PasswordHasher, Sealer, Clock],
    useFactory: (hasher: PasswordHasher, sealer: Sealer, clock: Clock) => new NewPasswords(hasher, sealer, clock),
  },
  {
    provide: TokenSigner,
    inject: [JwtService, GatewayConfig],
    useFactory: (jwt: JwtService, { tokenHours }: GatewayConfig) =>
      new TokenSigner(jwt, { issuer: ISSUER, lifetimeHours: tokenHours }),
  },
  {
    provide: LoginThrottle,
    inject: [ThrottleStore, Clock],
    useFactory: (store: ThrottleStore, clock: Clock) => new LoginThrottle(store, () => clock.now()),
  },
  {
    provide: CallerIdentifier,
    inject: [StreamLoader, TokenSigner, Sealer, Clock],
    useFactory: (loader: StreamLoader, tokens: TokenSigner, sealer: Sealer, clock: Clock) =>
      new CallerIdentifier(loader, tokens, sealer, clock),
  },
  {
    provide: FirstStart,
    inject: [EventStore, StreamLoader, CommandRunner, UserNames, NewPasswords, Sealer],
    useFactory: (
      store: EventStore,
      loader: StreamLoader,
      commands: CommandRunner,
      names: UserNames,
      passwords: NewPasswords,
      sealer: Sealer,
    ) => new FirstStart(store, loader, commands, names, passwords, sealer),
  },
];

const handlers: Provider[] = [
  AddOwnSshKeyHandler,
  BeginTwoFactorEnrolmentHandler,
  CancelTwoFactorHandler,
  ChangeOwnProfileHandler,
  DeleteAccountHandler,
  FindAccountHandler,
  GetAccountHandler,
  GetOwnProfileHandler,
  GetSiteSettingsHandler,
  ListAccountsHandler,
  ListOwnSshKeysHandler,
  ListSshKeysOfHandler,
  LogInHandler,
  LogOutHandler,
  ProveTwoFactorEnrolmentHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  RemoveOwnSshKeyHandler,
  UpdateAccountHandler,
];

export const applicationProviders: Provider[] = [...services, ...handlers];
