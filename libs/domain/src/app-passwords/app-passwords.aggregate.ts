import { memoryOf } from '../kernel/bounded-text.js';
import type { Aggregate } from '../kernel/aggregate.js';
import { appPasswordsDecider, type AppPasswords, type AppPasswordsCommand } from './app-passwords.decider.js';
import { appPasswordsUpcasters, type AppPasswordsEvent } from './app-passwords.events.js';

/** Memory of an app password without its name, in bytes: object and hash. */
const APP_PASSWORD_OVERHEAD = 500;

export const appPasswordsAggregate: Aggregate<number, AppPasswords, AppPasswordsCommand, AppPasswordsEvent> = {
  name: 'app-passwords',
  decider: appPasswordsDecider,
  upcasters: appPasswordsUpcasters,
  streamPrefix: 'app-passwords-',
  streamOf: (accountId) => `app-passwords-${accountId}`,
  weightOf: ({ passwords }) =>
    1 + Math.ceil(passwords.reduce((sum, { name }) => sum + APP_PASSWORD_OVERHEAD + memoryOf(name), 0) / 1024),
};
