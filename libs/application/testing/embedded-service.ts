import {
  eventStoreSchema,
  feedPositionsTable,
  SqliteCounter,
  SqliteEventStore,
  SqliteFile,
} from '@keyfold/event-store/sqlite';
import { ListUpdates, Projection, StreamLoader } from '@keyfold/projections';
import { readModelTables, tokenUsesTable, SqliteReadModelStore, SqliteTokenUses } from '@keyfold/projections/sqlite';
import { Argon2PasswordHasher, DeviceTokens, LoginThrottle, Sealer, TokenSigner } from '@keyfold/security';
import { loginHoursTable, SqliteLoginHours, SqliteThrottleStore, throttleTable } from '@keyfold/security/sqlite';
import { JwtService } from '@nestjs/jwt';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedWriter, temporaryFolder } from '../../event-store/testing/open-sqlite.js';
import { NewPasswords } from '../src/accounts/new-passwords.js';
import { CallerIdentifier } from '../src/caller/caller-identifier.js';
import { CommandRunner } from '../src/commands/command-runner.js';
import type { SecurityEvent } from '../src/security-log/security-log.js';
import { TokenActivity } from '../src/caller/token-activity.js';
import { RecentLogins } from '../src/login/recent-logins.js';
import { UserNames } from '../src/login/user-names.js';
import { SettableClock } from './settable-clock.js';
import { watchedPort, type Listener } from './watched-port.js';

/** The cheapest argon2 settings: these tests do not depend on the strength of hashes. */
const HASHING = { concurrency: 1, maxWaiting: 200, cost: { memoryCost: 8, timeCost: 1, parallelism: 1 } };
const sealer = new Sealer([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const jwt = new JwtService({ secret: 'a secret of more than thirty-two letters' });

/** A data folder for the SQLite adapters, which is deleted at the end of the test. */
export class EmbeddedFolder {
  readonly clock = new SettableClock();
  readonly events: SqliteFile;
  readonly views: SqliteFile;
  readonly store: SqliteEventStore;

  constructor() {
    const [folder, writer] = [temporaryFolder(), sharedWriter()];
    this.events = new SqliteFile(join(folder, 'keyfold.db'), eventStoreSchema, writer);
    this.store = new SqliteEventStore(this.events);
    const sql = [readModelTables, tokenUsesTable, feedPositionsTable, throttleTable, loginHoursTable].join('; ');
    this.views = new SqliteFile(join(folder, 'views.db'), { version: 1, synchronous: 'NORMAL', sql }, writer);
    onTestFinished(async () => {
      await Promise.all([this.events.close(), this.views.close()]);
    });
  }
}

/** The services of a gateway on real adapters. `listener` is called before each call of a port. Several may share a folder, like gateways. */
export class EmbeddedService {
  readonly clock: SettableClock;
  readonly sealer = sealer;
  readonly projectionErrors: unknown[] = [];
  /** The security events that its commands reported. */
  readonly reported: SecurityEvent[] = [];
  readonly store;
  readonly readModels;
  readonly hasher;
  readonly counter;
  readonly loader;
  readonly projection;
  readonly runner;
  readonly names;
  readonly passwords;
  readonly throttle;
  readonly activity;
  readonly recentLogins;
  readonly devices = new DeviceTokens(jwt);
  readonly tokens = new TokenSigner(jwt, { issuer: 'keyfold', lifetimeHours: 48 });

  constructor(
    readonly folder = new EmbeddedFolder(),
    listener: Listener = () => undefined,
  ) {
    const { events, views, clock, store } = folder;
    this.clock = clock;
    this.store = watchedPort('EventStore', store, listener);
    this.readModels = watchedPort('ReadModelStore', new SqliteReadModelStore(views), listener);
    const throttleStore = watchedPort('ThrottleStore', new SqliteThrottleStore(views), listener);
    this.hasher = watchedPort('PasswordHasher', new Argon2PasswordHasher(HASHING), listener);
    this.counter = new SqliteCounter(events);
    this.loader = new StreamLoader(this.store, this.readModels);
    this.projection = new Projection(this.loader, this.readModels, () => clock.now());
    const lists = new ListUpdates(this.projection, (_, error) => this.projectionErrors.push(error));
    this.runner = new CommandRunner(this.store, this.loader, lists, clock, undefined, {
      report: (event) => void this.reported.push(event),
    });
    this.names = new UserNames(this.store, this.loader);
    this.passwords = new NewPasswords(this.hasher, sealer, clock);
    this.activity = new TokenActivity(new SqliteTokenUses(views), clock);
    this.recentLogins = new RecentLogins(new SqliteLoginHours(views), clock);
    this.throttle = new LoginThrottle(throttleStore, () => clock.now());
  }

  /** Returns an identifier of callers that adds its security events to `reported`. */
  identifier(reported: SecurityEvent[] = []): CallerIdentifier {
    const security = { report: (event: SecurityEvent) => void reported.push(event) };
    return new CallerIdentifier(this.loader, this.tokens, this.sealer, this.clock, security, this.activity);
  }

  /** Signs arbitrary claims as a token of this service. */
  signWithOurSecret(claims: object): string {
    return jwt.sign(claims, { algorithm: 'HS256' });
  }
}
