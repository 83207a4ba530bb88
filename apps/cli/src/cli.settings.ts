import {
  brokerSettings,
  embeddedSettings,
  eventLogSettings,
  generatedSecretSettings,
  mongoSettings,
  openlistOf,
  openlistSettings,
  passwordSettings,
  projectorSettings,
  readSettings,
  retentionSettings,
  sealingKeys,
  type Environment,
} from '@keyfold/process';
import { z } from 'zod';

const stores = ['sqlite', 'mongodb'] as const;
const choice = z.object({
  KEYFOLD_STORE: z.enum(stores, 'must be sqlite or mongodb').optional(),
  KEYFOLD_MONGODB_URI: z.string().optional(),
});
const onBoth = { ...retentionSettings, ...eventLogSettings, ...passwordSettings };
const onSqlite = z.object({ ...embeddedSettings, ...onBoth });
const onMongo = z.object({ ...mongoSettings, ...projectorSettings, ...onBoth });

const broker = z.object({
  ...brokerSettings,
  KEYFOLD_RABBITMQ_URL: brokerSettings.KEYFOLD_RABBITMQ_URL.unwrap(),
});

/** Reads the settings of RabbitMQ. Throws `InvalidConfiguration`, also if the URL is missing. */
export const readCliBrokerSettings = (environment: Environment) => readSettings(broker, environment);

const bothStores = z.object({
  ...embeddedSettings,
  ...mongoSettings,
  KEYFOLD_SEALING_KEY: generatedSecretSettings.KEYFOLD_SEALING_KEY,
});

/** Reads the settings of both kinds of store. Throws `InvalidConfiguration`, also if the connection string is missing. */
export const readBothStoreSettings = (environment: Environment) => readSettings(bothStores, environment);

export type CliSettings =
  | (z.infer<typeof onSqlite> & Readonly<{ KEYFOLD_STORE: 'sqlite' }>)
  | (z.infer<typeof onMongo> & Readonly<{ KEYFOLD_STORE: 'mongodb' }>);

const explicitDays = z.object({
  KEYFOLD_SESSION_DAYS: z.string(
    'is required to compact on MongoDB. Set it to the same value as for the workers, because compaction cannot be undone',
  ),
});

/** Requires an explicit retention time, because this shell may lack the settings of the workers. Throws `InvalidConfiguration`. */
export const requireSessionDays = (environment: Environment): void => void readSettings(explicitDays, environment);

const keysOnSqlite = z.object({ KEYFOLD_SEALING_KEY: generatedSecretSettings.KEYFOLD_SEALING_KEY });
const keysOnMongo = (task: string) =>
  z.object({
    KEYFOLD_SEALING_KEY: sealingKeys(`is required to ${task} on MongoDB. Set it to the same value as for the gateways`),
  });

/** Reads the sealing keys for a command that stores a secret. Undefined if they may be in the data folder. Throws `InvalidConfiguration`. */
export const readCliSealingKeys = (
  environment: Environment,
  store: CliSettings['KEYFOLD_STORE'],
  task: string,
): string | undefined =>
  (store === 'mongodb' ? readSettings(keysOnMongo(task), environment) : readSettings(keysOnSqlite, environment))
    .KEYFOLD_SEALING_KEY;

const openlist = z.object(openlistSettings);

/** Reads the settings of OpenList; undefined if there is none. Throws `InvalidConfiguration`. */
export const readCliOpenlist = (environment: Environment) => openlistOf(readSettings(openlist, environment));

/**
 * Reads the settings of the store, without secrets. A MongoDB connection string without KEYFOLD_STORE selects MongoDB. Throws
 * `InvalidConfiguration`.
 */
export function readCliSettings(environment: Environment): CliSettings {
  const { KEYFOLD_STORE, KEYFOLD_MONGODB_URI } = readSettings(choice, environment);
  const store = KEYFOLD_STORE ?? (KEYFOLD_MONGODB_URI === undefined ? 'sqlite' : 'mongodb');
  if (store === 'mongodb') return { ...readSettings(onMongo, environment), KEYFOLD_STORE: store };
  return { ...readSettings(onSqlite, environment), KEYFOLD_STORE: store };
}
