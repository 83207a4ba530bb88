import {
  accessTokensAggregate,
  accountAggregate,
  appPasswordsAggregate,
  erasuresAggregate,
  nextExpiryOf,
  openlistUserAggregate,
  sessionAggregate,
  siteSettingsAggregate,
  sshKeyRingAggregate,
  sshKeyUseAggregate,
  accountOfSecret,
  type AccessTokens,
  type Account,
  type AppPasswords,
  type Session,
  type SshKeyRing,
} from '@keyfold/domain';
import type { StreamAggregate, StreamRef } from './loading/stream-ref.js';

/**
 * How the folded states of an aggregate are stored: one document per stream. Commands, answers by id and lists all use the same fold.
 * Raise `schema` when the state changes its shape; the projector then fills new documents.
 */
export type ReadModel<State> = Readonly<{
  /** Name of the collection or table. */
  name: string;
  schema: number;
  aggregate: StreamAggregate<State>;
  /** Returns where a state belongs in the model's list; null if it is not listed. A model without this function has no list. */
  sortKeyOf?(state: State): number | null;
  /** Returns the text that a listed state is searched by. */
  textOf?(state: State): string;
  /** Sort keys are the unix times, in seconds, at which entries expire. Such a model is listed by `ReadModelStore.listUnexpired`. */
  expires?: true;
  /** Sort keys are the unix times, in milliseconds, at which something is due. Such a model is listed by `ReadModelStore.listDue`. */
  due?: true;
}>;

export const accounts: ReadModel<Account> = {
  name: 'accounts',
  schema: 2,
  aggregate: accountAggregate,
  sortKeyOf: ({ status, accountId }) => (status === 'active' ? accountId : null),
  textOf: ({ username }) => username,
};
export const sessions: ReadModel<Session> = {
  name: 'sessions',
  schema: 1,
  aggregate: sessionAggregate,
  sortKeyOf: ({ status, expiresAt }) => (status === 'active' ? expiresAt : null),
  expires: true,
};
export const sshKeyRings: ReadModel<SshKeyRing> = {
  name: 'ssh_key_rings',
  schema: 1,
  aggregate: sshKeyRingAggregate,
  sortKeyOf: nextExpiryOf,
  due: true,
};
export const sshKeyUses = { name: 'ssh_key_uses', schema: 1, aggregate: sshKeyUseAggregate };
/** Lists the accounts that have access tokens. */
export const accessTokens: ReadModel<AccessTokens> = {
  name: 'access_tokens',
  schema: 1,
  aggregate: accessTokensAggregate,
  sortKeyOf: ({ secrets: [first] }) => (first ? accountOfSecret(first.id) : null),
};
/** Lists the accounts that have app passwords. */
export const appPasswords: ReadModel<AppPasswords> = {
  name: 'app_passwords',
  schema: 1,
  aggregate: appPasswordsAggregate,
  sortKeyOf: ({ secrets: [first] }) => (first ? accountOfSecret(first.id) : null),
};
export const openlistUsers = { name: 'openlist_users', schema: 1, aggregate: openlistUserAggregate };
export const siteSettings = { name: 'site_settings', schema: 1, aggregate: siteSettingsAggregate };
export const erasures = { name: 'erasures', schema: 1, aggregate: erasuresAggregate };

/**
 * Returns a text as searches compare it: letter case does not matter. The lower case of a sigma depends on whether a word ends there, which a
 * part of a name does not tell. The stores keep texts as UTF-8, which has no unpaired surrogates.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ').toWellFormed();

/** Returns the names of the collections or tables in which earlier versions of the program stored a model. */
export const formerNamesOf = ({ name, schema }: ReadModel<unknown>): string[] =>
  Array.from({ length: schema - 1 }, (_, index) => `${name}_${index + 1}`);

/** All read models: one for each aggregate. */
export const readModels: readonly ReadModel<unknown>[] = [
  accounts,
  sessions,
  sshKeyRings,
  sshKeyUses,
  accessTokens,
  appPasswords,
  openlistUsers,
  siteSettings,
  erasures,
];

/**
 * Returns whether clients read the states of a model in a list, so that each document must be up to date. The projector is fast enough
 * for what is due, and adding a key then costs no further write.
 */
export const isListed = ({ sortKeyOf, due }: ReadModel<unknown>): boolean => sortKeyOf !== undefined && !due;

/** Returns the read model that stores the documents of a stream's aggregate. */
export function readModelOf({ aggregate: { name } }: Pick<StreamRef<unknown>, 'aggregate'>): ReadModel<unknown> {
  const model = readModels.find(({ aggregate }) => aggregate.name === name);
  if (!model) throw new Error(`the aggregate ${name} has no read model`);
  return model;
}
