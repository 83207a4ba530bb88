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

/** System accounts of Debian and Red Hat, of Windows, of common services, and those of this service. */
const SYSTEM_NAMES =
  'root,toor,admin,administrator,adm,sudo,system,sys,daemon,bin,sync,shutdown,halt,operator,nobody,guest,mail,postmaster,www-data,' +
  'www,http,apache,nginx,ftp,sftp,ssh,sshd,git,backup,news,uucp,lp,man,games,proxy,list,irc,postgres,mysql,mongodb,rabbitmq,redis,' +
  'docker,keyfold';

/** Settings of every process. */
export const processSettings = {
  /** Where health is told. Port 0 takes any free one. */
  KEYFOLD_MANAGEMENT_HOST: z.string().default('127.0.0.1'),
  KEYFOLD_MANAGEMENT_PORT: port.prefault('9464'),
  KEYFOLD_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ...tracingSettings,
};

/** What a new password must be. Off by default, because clients of the original know no such rules. */
export const passwordSettings = {
  /** How many characters a new password must have; 0 asks for none. */
  KEYFOLD_PASSWORD_MIN_LENGTH: number('needs a whole number from 0 to 128', 0, 128)
    .refine(Number.isInteger, 'needs a whole number from 0 to 128')
    .prefault('0'),
  /** Whether passwords that are on a list of common ones are refused. */
  KEYFOLD_PASSWORD_REFUSE_COMMON: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
};

/** The rules that these settings ask for. */
export const passwordRules = (settings: PasswordSettings) => ({
  minLength: settings.KEYFOLD_PASSWORD_MIN_LENGTH,
  refuseCommon: settings.KEYFOLD_PASSWORD_REFUSE_COMMON,
});

/** Settings of a process that serves the API. */
export const apiSettings = {
  /** Where the API listens. Port 0 takes any free one. */
  KEYFOLD_HOST: z.string().default('0.0.0.0'),
  KEYFOLD_PORT: port.prefault('5244'),
  /** The first password of the admin; used only when no admin exists. */
  KEYFOLD_ADMIN_PASSWORD: z.string().optional(),
  ...passwordSettings,
  /** How long a token is good for. */
  KEYFOLD_TOKEN_HOURS: number('needs a number of hours from 0.01 to 87600', 0.01, 87_600).prefault('48'),
  /** How many days only its last owner may take a released name; an administrator may always give it out. 0: no time at all. */
  KEYFOLD_RELEASED_NAME_DAYS: number('needs a number of days from 0 to 36500', 0, 36_500).prefault('30'),
  /** Names that only an administrator may give out, in any letter case; `none` has none. */
  KEYFOLD_SYSTEM_NAMES: names.prefault(SYSTEM_NAMES),
  /** How long the line and the headers of a request may be together, in bytes. */
  KEYFOLD_HEAD_BYTES: number('needs a number of bytes from 8192 to 1048576', 8_192, 1_048_576)
    .refine(Number.isInteger, 'needs a whole number')
    .prefault('65536'),
  /** Proxies whose forwarded headers are believed: addresses and CIDR networks. */
  KEYFOLD_TRUSTED_PROXIES: networks,
  /** How long browsers that came over HTTPS shall come over nothing else; 0 tells them nothing, which is right where HTTP is used as well. */
  KEYFOLD_HSTS_SECONDS: number('needs a number of seconds from 0 to 63072000', 0, 63_072_000)
    .refine(Number.isInteger, 'needs a whole number')
    .prefault('0'),
};

/** Settings of a process that follows the feed. */
export const projectorSettings = {
  /** How long the slots of a process that fell silent stay unread, at most a third more. */
  KEYFOLD_LEASE_SECONDS: number('needs a number of seconds from 1 to 3600', 1, 3_600).prefault('10'),
};

/** Settings of a process that removes old sessions. */
export const retentionSettings = {
  /** How many days sessions are kept after their token has expired. */
  KEYFOLD_SESSION_DAYS: number('needs a number of days from 0.001 to 36500', 0.001, 36_500).prefault('90'),
};

/** Settings of the embedded store. */
export const embeddedSettings = {
  /** Holds the database and the generated secrets. */
  KEYFOLD_DATA_DIR: z
    .string()
    .default('./data')
    .transform((folder) => resolve(folder)),
};

/** Settings of the store that several processes share. */
export const mongoSettings = {
  /** The replica set and the name of the database. */
  KEYFOLD_MONGODB_URI: mongoUri,
};

/** Settings of a process that tells other services what happened and takes commands of them. Without an address it does neither. */
export const brokerSettings = {
  /** RabbitMQ with user, password and virtual host, which is `/` where it names none. */
  KEYFOLD_RABBITMQ_URL: amqpUrl.optional(),
  /** Its management API; with the user of the other address where it names none. It looks at bindings and policies and sets the latter. */
  KEYFOLD_RABBITMQ_MANAGEMENT_URL: httpUrl.optional(),
};

/** Secrets beside the embedded store: what is missing is generated in the data folder. */
export const generatedSecretSettings = {
  /** A comma list; the first secret signs tokens, all verify. */
  KEYFOLD_TOKEN_SECRET: tokenSecrets('').optional(),
  /** A list `id:key`; the first key seals, all open. */
  KEYFOLD_SEALING_KEY: sealingKeys('').optional(),
};

/** Secrets of several processes: each of them needs the same. */
export const sharedSecretSettings = {
  KEYFOLD_TOKEN_SECRET: tokenSecrets(
    'is required with MongoDB, the same for every process: make one with "openssl rand -base64 48"',
  ),
  KEYFOLD_SEALING_KEY: sealingKeys(
    'is required with MongoDB, the same for every process: make one with "echo k1:$(openssl rand -base64 32)"',
  ),
};

/** A process that cannot work on the embedded store, because another process would have it open. */
export const mongoStoreOnly = {
  KEYFOLD_STORE: z
    .literal('mongodb', 'this process works on mongodb; sqlite is for the standalone process ("npm start")')
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
