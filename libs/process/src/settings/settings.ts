import { resolve } from 'node:path';
import { z } from 'zod';
import {
  amqpUrl,
  httpUrl,
  integer,
  mongoUri,
  names,
  networks,
  number,
  port,
  sealingKeys,
  tokenSecrets,
} from './setting-types.js';
import { openlistSettings } from './openlist.settings.js';
import { tracingSettings } from './tracing.settings.js';

/** System accounts of Debian, Red Hat and Windows, of common services, and of this service. */
const SYSTEM_NAMES =
  'root,toor,admin,administrator,adm,sudo,system,sys,daemon,bin,sync,shutdown,halt,operator,nobody,guest,mail,postmaster,www-data,' +
  'www,http,apache,nginx,ftp,sftp,ssh,sshd,git,backup,news,uucp,lp,man,games,proxy,list,irc,postgres,mysql,mongodb,rabbitmq,redis,' +
  'docker,keyfold';

const TOKEN_SECRET =
  'list of secrets of at least 32 characters, `new,old`; the first signs tokens, all verify. Generated in the data folder; required with MongoDB';
const SEALING_KEY =
  'list `id:key,id:key` of 32-byte keys in base64, base64url or hex; the first seals, all open. Generated in the data folder; required with MongoDB';

/** Maximum number of threads that serve the API. */
export const MAX_THREADS = 64;

export const processSettings = {
  KEYFOLD_MANAGEMENT_HOST: z.string().default('127.0.0.1').describe('address of the management port'),
  KEYFOLD_MANAGEMENT_PORT: port
    .prefault('9464')
    .describe('port for `/health/live`, `/health/ready` and `/metrics`; 0 picks a free port and logs it'),
  KEYFOLD_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`'),
  ...tracingSettings,
};

/** Password policy. Off by default, because clients of the original expect none. */
export const passwordSettings = {
  KEYFOLD_PASSWORD_MIN_LENGTH: integer('must be an integer from 0 to 128', 0, 128)
    .prefault('0')
    .describe('minimum length of new passwords in characters, at most 128; 0 for no minimum'),
  KEYFOLD_PASSWORD_REFUSE_COMMON: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true` refuses new passwords from a list of 49,000 common ones'),
};

export const passwordRules = (settings: PasswordSettings) => ({
  minLength: settings.KEYFOLD_PASSWORD_MIN_LENGTH,
  refuseCommon: settings.KEYFOLD_PASSWORD_REFUSE_COMMON,
});

/** Settings of a process that compacts old sessions, or knows how long their logins can be found. */
export const retentionSettings = {
  KEYFOLD_SESSION_DAYS: number('must be a number of days from 0.001 to 36500', 0.001, 36_500)
    .prefault('90')
    .describe('days to keep a session after its token expires, 0.001 to 36,500'),
};

/** Settings of a process that serves the API. */
export const apiSettings = {
  KEYFOLD_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address of the API; `0.0.0.0` for all IPv4 addresses, which the container image sets'),
  KEYFOLD_PORT: port.prefault('5244').describe('port of the API; 0 picks a free port'),
  KEYFOLD_SERVERS_HOST: z.string().default('127.0.0.1').describe('address of the servers port'),
  KEYFOLD_SERVERS_PORT: port
    .optional()
    .describe('port on which file servers look up keys and check logins, usually 5245; closed unless set'),
  KEYFOLD_SERVERS_TRUSTED: networks.describe(
    'addresses and CIDR networks of file servers that are believed when they name the address of their client',
  ),
  KEYFOLD_THREADS: integer(`must be an integer from 1 to ${MAX_THREADS}`, 1, MAX_THREADS)
    .optional()
    .describe('threads that serve the API, 1 to 64. Defaults to one per CPU with SQLite, and to 1 with MongoDB'),
  KEYFOLD_ADMIN_PASSWORD: z
    .string()
    .optional()
    .describe(
      'initial admin password, used only while no admin exists; otherwise random and shown once. Alias `OPENLIST_ADMIN_PASSWORD`',
    ),
  ...passwordSettings,
  KEYFOLD_TOKEN_HOURS: number('must be a number of hours from 0.01 to 87600', 0.01, 87_600)
    .prefault('48')
    .describe('lifetime of tokens in hours, at most 87,600'),
  KEYFOLD_RELEASED_NAME_DAYS: number('must be a number of days from 0 to 36500', 0, 36_500)
    .prefault('30')
    .describe('days until users can take a name that another account released; 0 for none'),
  KEYFOLD_SYSTEM_NAMES: names
    .prefault(SYSTEM_NAMES)
    .describe('comma-separated names, in any letter case, that only administrators can assign; `none` for no names'),
  KEYFOLD_HEAD_BYTES: integer('must be a number of bytes from 8192 to 1048576', 8_192, 1_048_576, 'must be an integer')
    .prefault('65536')
    .describe('maximum size of request line and headers together, 8,192 to 1,048,576'),
  KEYFOLD_TRUSTED_PROXIES: networks.describe(
    'comma-separated addresses and CIDR networks whose `X-Forwarded-For`, `X-Real-IP` and `Forwarded` are trusted',
  ),
  KEYFOLD_HSTS_SECONDS: integer('must be a number of seconds from 0 to 63072000', 0, 63_072_000, 'must be an integer')
    .prefault('0')
    .describe('`Strict-Transport-Security` max-age in seconds; 0 omits the header'),
  KEYFOLD_CONSOLE: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe('`off` serves no [console](../use/console.md) at `/@account`, and offers no setup'),
  ...retentionSettings,
  ...openlistSettings,
};

/** Settings of a process that follows the feed. */
export const projectorSettings = {
  KEYFOLD_LEASE_SECONDS: number('must be a number of seconds from 1 to 3600', 1, 3_600)
    .prefault('10')
    .describe(
      "duration of a worker's leases in seconds, 1 to 3,600. If a worker stops responding, others take over within 4/3 of it",
    ),
};

export const embeddedSettings = {
  KEYFOLD_DATA_DIR: z
    .string()
    .default('./data')
    .transform((folder) => resolve(folder))
    .describe('folder of the database files and the generated secrets'),
};

export const mongoSettings = {
  KEYFOLD_MONGODB_URI: mongoUri.describe(
    'connection string with database and replica set: `mongodb://host:27017/keyfold?replicaSet=rs0`',
  ),
};

export const eventLogSettings = {
  KEYFOLD_EVENT_LOG_DAYS: integer('must be a number of days from 1 to 36500', 1, 36_500, 'must be an integer')
    .prefault('90')
    .describe('days to keep events in `keyfold.events.log`, 1 to 36,500'),
};

/** Settings of a process that publishes events and consumes commands. Without a URL it does neither. */
export const brokerSettings = {
  ...eventLogSettings,
  KEYFOLD_RABBITMQ_URL: amqpUrl
    .optional()
    .describe(
      'user, password and virtual host: `amqp://user:password@host:5672/vhost`. Without it nothing is published or consumed',
    ),
  KEYFOLD_RABBITMQ_MANAGEMENT_URL: httpUrl
    .optional()
    .describe(
      'management API, such as `http://host:15672`; sets policies and reads bindings. Its user defaults to that of the other URL',
    ),
};

/** Secrets with the embedded store. Missing ones are generated in the data folder. */
export const generatedSecretSettings = {
  KEYFOLD_TOKEN_SECRET: tokenSecrets('').optional().describe(TOKEN_SECRET),
  KEYFOLD_SEALING_KEY: sealingKeys('').optional().describe(SEALING_KEY),
};

/** For a process that only needs the key with OpenList. */
export const sealingKeySetting = { KEYFOLD_SEALING_KEY: generatedSecretSettings.KEYFOLD_SEALING_KEY };

/** Secrets with the shared store, the same in every process. */
export const sharedSecretSettings = {
  KEYFOLD_TOKEN_SECRET: tokenSecrets(
    'is required with MongoDB, with the same value in every process. Generate one with "openssl rand -base64 48"',
  ).describe(TOKEN_SECRET),
  KEYFOLD_SEALING_KEY: sealingKeys(
    'is required with MongoDB, with the same value in every process. Generate one with "echo k1:$(openssl rand -base64 32)"',
  ).describe(SEALING_KEY),
};

/** For a process that cannot use the embedded store, which only the standalone process can open. */
export const mongoStoreOnly = {
  KEYFOLD_STORE: z
    .literal('mongodb', 'must be mongodb: only the standalone process ("npm start") can use sqlite')
    .default('mongodb')
    .describe(
      '`sqlite` (only `npm start` and the command) or `mongodb`. `npm start` requires it if `KEYFOLD_MONGODB_URI` is set',
    ),
};

export type ProcessSettings = z.infer<z.ZodObject<typeof processSettings>>;
export type PasswordSettings = z.infer<z.ZodObject<typeof passwordSettings>>;
export type ApiSettings = z.infer<z.ZodObject<typeof apiSettings>>;
export type BrokerSettings = z.infer<z.ZodObject<typeof brokerSettings>>;
export type Secrets = z.infer<z.ZodObject<typeof sharedSecretSettings>>;
