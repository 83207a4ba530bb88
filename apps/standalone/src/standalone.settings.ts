import {
  apiSettings,
  brokerSettings,
  embeddedSettings,
  generatedSecretSettings,
  mongoSettings,
  processSettings,
  projectorSettings,
  readSettings,
  retentionSettings,
  sharedSecretSettings,
  type Environment,
} from '@keyfold/process';
import { z } from 'zod';

const stores = ['sqlite', 'mongodb'] as const;
const common = { ...processSettings, ...apiSettings, ...projectorSettings, ...retentionSettings, ...brokerSettings };
const store = z.object({ KEYFOLD_STORE: z.string().optional() });
const onSqlite = z.object({
  KEYFOLD_STORE: z.enum(stores, 'is sqlite or mongodb').default('sqlite'),
  ...common,
  ...embeddedSettings,
  ...generatedSecretSettings,
});
/** Somebody who names a MongoDB hardly wants the store that is chosen for want of another. */
const undecided = onSqlite.extend({
  KEYFOLD_STORE: z.enum(stores, 'set it to mongodb or sqlite, because KEYFOLD_MONGODB_URI is set'),
});
const onMongo = z.object({
  KEYFOLD_STORE: z.literal('mongodb'),
  ...common,
  ...mongoSettings,
  ...sharedSecretSettings,
});

export type StandaloneSettings = (z.infer<typeof onSqlite> & { KEYFOLD_STORE: 'sqlite' }) | z.infer<typeof onMongo>;

/** The store decides which other settings there are. Throws `InvalidConfiguration` with all problems at once. */
export function readStandaloneSettings(environment: Environment): StandaloneSettings {
  const { KEYFOLD_STORE } = readSettings(store, environment);
  if (KEYFOLD_STORE === 'mongodb') return readSettings(onMongo, environment);
  const namesMongo = environment['KEYFOLD_MONGODB_URI'] || environment['KEYFOLD_MONGODB_URI_FILE'];
  if (KEYFOLD_STORE === undefined && namesMongo) readSettings(undecided, environment);
  // Another name than sqlite is refused here.
  return { ...readSettings(onSqlite, environment), KEYFOLD_STORE: 'sqlite' };
}
