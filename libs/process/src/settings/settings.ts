import { resolve } from 'node:path';
import { z } from 'zod';
import {
  amqpUrl,
  httpUrl,
  mongoUri,
  names,
  networks,
  number,
  port,
  sealingKeys,
  tokenSecrets,
} from './setting-types.js';
import { tracingSettings } from './tracing.settings.js';

/** System accounts of Debian, Red Hat and Windows, of common services, and of this service. */
const SYSTEM_NAMES =
  'root,toor,admin,administrator,adm,sudo,system,sys,daemon,bin,sync,shutdown,halt,operator,nobody,guest,mail,postmaster,www-data,' +
  'www,http,apache,nginx,ftp,sftp,ssh,sshd,git,backup,news,uucp,lp,man,games,proxy,list,irc,postgres,mysql,mongodb,rabbitmq,redis,' +
  'docker,keyfold';

/** Maximum number of threads that serve the API. */
export const MAX_THREADS = 64;

/** Settings of every process. */
export const processSettings = {
  /** Address of the management port. Port 0 stands for any free port. */
  KEYFOLD_MANAGEMENT_HOST: z.string().default('127.0.0.1'),
  KEYFOLD_MANAGEMENT_PORT: port.prefault('9464'),
  KEYFOLD_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ...tracingSettings,
};

/** Password policy. Off by default, because clients of the original expect none. */
export const passwordSettings = {
  /** Minimum length of a new password, in characters; 0: no minimum. */
  KEYFOLD_PASSWORD_MIN_LENGTH: number('must be an integer from 0 to 128', 0, 128)
    .refine(Number.isInteger, 'must be an integer from 0 to 128')
    .prefault('0'),
  /** Whether common passwords are refused. */
  KEYFOLD_PASSWORD_REFUSE_COMMON: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
};

/** Returns the password policy of these settings. */
export const passwordRules = (settings: PasswordSettings) => ({
  minLength: settings.KEYFOLD_PASSWORD_MIN_LENGTH,
  refuseCommon: settings.KEYFOLD_PASSWORD_REFUSE_COMMON,
});

/** Settings of a process that serves the API. */
export const apiSettings = {
  /** Address of the API. Port 0 stands for any free port. */
  KEYFOLD_HOST: z.string().default('0.0.0.0'),
  KEYFOLD_PORT: port.prefault('5244'),
  /** Address of the servers port. It is closed unless a port is set; 0 stands for any free port. */
  KEYFOLD_SERVERS_HOST: z.string().default('127.0.0.1'),
  KEYFOLD_SERVERS_PORT: port.optional(),
  /** File servers that are believed when they name the address of their client: addresses and CIDR networks. */
  KEYFOLD_SERVERS_TRUSTED: networks,
  /** Threads that serve the API. Default: one for each processor that the process may use with SQLite, one with MongoDB. */
  KEYFOLD_THREADS: number(`must be an integer from 1 to ${MAX_THREADS}`, 1, MAX_THREADS)
    .refine(Number.isInteger, `must be an integer from 1 to ${MAX_THREADS}`)
    .optional(),
  /** Initial password of the admin; used only if no admin exists. */
  KEYFOLD_ADMIN_PASSWORD: z.string().optional(),
  ...passwordSettings,
  /** Lifetime of a token. */
  KEYFOLD_TOKEN_HOURS: number('must be a number of hours from 0.01 to 87600', 0.01, 87_600).prefault('48'),
  /** Days for which a released name is reserved for its last owner; administrators can always assign it. 0: not reserved. */
  KEYFOLD_RELEASED_NAME_DAYS: number('must be a number of days from 0 to 36500', 0, 36_500).prefault('30'),
  /** Names that only an administrator can assign, in any letter case; `none` stands for an empty list. */
  KEYFOLD_SYSTEM_NAMES: names.prefault(SYSTEM_NAMES),
  /** Maximum size of the request line and headers together, in bytes. */
  KEYFOLD_HEAD_BYTES: number('must be a number of bytes from 8192 to 1048576', 8_192, 1_048_576)
    .refine(Number.isInteger, 'must be an integer')
    .prefault('65536'),
  /** Proxies whose forwarded headers are trusted: addresses and CIDR networks. */
  KEYFOLD_TRUSTED_PROXIES: networks,
  /** HSTS max-age in seconds; 0 sends no header, which suits a service that is also used over HTTP. */
  KEYFOLD_HSTS_SECONDS: number('must be a number of seconds from 0 to 63072000', 0, 63_072_000)
    .refine(Number.isInteger, 'must be an integer')
    .prefault('0'),
};

/** Settings of a process that follows the feed. */
export const projectorSettings = {
  /** Lifetime of a lease. The slots of a crashed process stay unread for up to a third longer. */
  KEYFOLD_LEASE_SECONDS: number('must be a number of seconds from 1 to 3600', 1, 3_600).prefault('10'),
};

/** Settings of a process that compacts old sessions. */
export const retentionSettings = {
  /** Days for which a session is kept after its token expired. */
  KEYFOLD_SESSION_DAYS: number('must be a number of days from 0.001 to 36500', 0.001, 36_500).prefault('90'),
};

/** Settings of the embedded store. */
export const embeddedSettings = {
  /** Folder of the database files and the generated secrets. */
  KEYFOLD_DATA_DIR: z
    .string()
    .default('./data')
    .transform((folder) => resolve(folder)),
};

/** Settings of the shared store, MongoDB. */
export const mongoSettings = {
  /** Connection string with replica set and database name. */
  KEYFOLD_MONGODB_URI: mongoUri,
};

/** Settings of a process that publishes events and consumes commands. Without a URL it does neither. */
export const brokerSettings = {
  /** URL of RabbitMQ with user, password and virtual host, which defaults to `/`. */
  KEYFOLD_RABBITMQ_URL: amqpUrl.optional(),
  /** URL of its management API, used to check bindings and policies and to set policies. Defaults to the user of the other URL. */
  KEYFOLD_RABBITMQ_MANAGEMENT_URL: httpUrl.optional(),
};

/** Secrets with the embedded store. Missing ones are generated in the data folder. */
export const generatedSecretSettings = {
  /** Comma-separated list; the first secret signs tokens, all verify them. */
  KEYFOLD_TOKEN_SECRET: tokenSecrets('').optional(),
  /** Comma-separated list of `id:key`; the first key seals, all open. */
  KEYFOLD_SEALING_KEY: sealingKeys('').optional(),
};

/** Secrets with the shared store, the same in every process. */
export const sharedSecretSettings = {
  KEYFOLD_TOKEN_SECRET: tokenSecrets(
    'is required with MongoDB, with the same value in every process. Generate one with "openssl rand -base64 48"',
  ),
  KEYFOLD_SEALING_KEY: sealingKeys(
    'is required with MongoDB, with the same value in every process. Generate one with "echo k1:$(openssl rand -base64 32)"',
  ),
};

/** For a process that cannot use the embedded store, which only the standalone process can open. */
export const mongoStoreOnly = {
  KEYFOLD_STORE: z
    .literal('mongodb', 'must be mongodb: only the standalone process ("npm start") can use sqlite')
    .default('mongodb'),
};

const groups = {
  process: z.object(processSettings),
  api: z.object(apiSettings),
  passwords: z.object(passwordSettings),
  broker: z.object(brokerSettings),
  secrets: z.object(sharedSecretSettings),
};
export type ProcessSettings = z.infer<typeof groups.process>;
export type PasswordSettings = z.infer<typeof groups.passwords>;
export type ApiSettings = z.infer<typeof groups.api>;
export type BrokerSettings = z.infer<typeof groups.broker>;
export type Secrets = z.infer<typeof groups.secrets>;
