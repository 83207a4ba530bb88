import type { Provider } from '@nestjs/common';
import { InMemoryLoginQueues, InMemoryStreamQueue, LoginQueues, StreamQueue } from '@keyfold/application';
import { securityLogProvider } from '@keyfold/process';
import { Argon2PasswordHasher, PasswordHasher } from '@keyfold/security';
import { GatewayConfig } from '../gateway.config.js';
import { HashDurations } from '../metrics/hash-durations.js';

/**
 * Provides the services that a process has once, however many of its threads serve: the queues of hashes, logins and streams, and the
 * security log.
 */
export const processServices: Provider[] = [
  securityLogProvider,
  HashDurations,
  {
    provide: PasswordHasher,
    inject: [GatewayConfig, HashDurations],
    useFactory: ({ hashing }: GatewayConfig, durations: HashDurations) =>
      new Argon2PasswordHasher({ ...hashing, onHashed: (seconds) => durations.observe(seconds) }),
  },
  { provide: LoginQueues, useClass: InMemoryLoginQueues },
  { provide: StreamQueue, useClass: InMemoryStreamQueue },
];
