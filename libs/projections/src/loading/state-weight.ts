import {
  bytesOf,
  type AccessTokens,
  type Account,
  type AggregateName,
  type AppPasswords,
  type Erasures,
  type Session,
  type SiteSettings,
  type SshKeyRing,
  type SshKeyUse,
} from '@keyfold/domain';
import type { StreamAggregate } from './stream-ref.js';

/** Memory of an entry without its texts, in bytes: objects and hashes. */
const ACCESS_TOKEN = 600;
const APP_PASSWORD = 500;
const FORMER_APP_PASSWORD = 250;
const SSH_KEY = 300;

/** The answers of an account are cached with the state, so they count, too. */
const weights: Readonly<Record<AggregateName, (state: never) => number>> = {
  account: ({ username, basePath, ssoId }: Account) =>
    1 + Math.floor((memoryOf(username, basePath, ssoId) + 2 * bytesOf(username, basePath, ssoId)) / 1024),
  session: ({ address, client }: Session) => 1 + Math.floor(memoryOf(address, client) / 1024),
  'ssh-keys': ({ keys, bytes }: SshKeyRing) => 1 + Math.ceil((SSH_KEY * keys.length + 2 * bytes) / 1024),
  'ssh-key-use': ({ lastUsed }: SshKeyUse) => 1 + Math.ceil(Object.keys(lastUsed).length / 20),
  'access-tokens': ({ secrets }: AccessTokens) =>
    1 + Math.ceil(sumOf(secrets, ({ name }) => ACCESS_TOKEN + memoryOf(name)) / 1024),
  'app-passwords': ({ secrets, former }: AppPasswords) =>
    1 +
    Math.ceil(
      (sumOf(secrets, ({ name }) => APP_PASSWORD + memoryOf(name)) + former.length * FORMER_APP_PASSWORD) / 1024,
    ),
  'openlist-user': () => 1,
  'site-settings': ({ values, sealedValues }: SiteSettings) =>
    4 + Math.floor(memoryOf(...Object.values(values), ...Object.values(sealedValues)) / 1024),
  erasures: ({ accounts, backups }: Erasures) => 1 + Math.ceil((accounts.length + backups.length) / 8),
};

/** Returns the maximum memory of a state in units of about a kilobyte. Caches are limited by it. */
export const weightOf = <State>({ name }: Pick<StreamAggregate<State>, 'name'>, state: State): number =>
  weights[name](state as never);

/** One character beyond Latin-1 doubles the memory of its text. */
const memoryOf = (...texts: readonly string[]) => sumOf(texts, ({ length }) => 2 * length);

const sumOf = <Item>(items: readonly Item[], sizeOf: (item: Item) => number) =>
  items.reduce((sum, item) => sum + sizeOf(item), 0);
