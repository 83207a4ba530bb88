import type { Aggregate } from '../kernel/aggregate.js';
import { appPasswordsDecider, type AppPasswords, type AppPasswordsCommand } from './app-passwords.decider.js';
import { appPasswordsUpcasters, type AppPasswordsEvent } from './app-passwords.events.js';

export const appPasswordsAggregate: Aggregate<number, AppPasswords, AppPasswordsCommand, AppPasswordsEvent> = {
  name: 'app-passwords',
  decider: appPasswordsDecider,
  upcasters: appPasswordsUpcasters,
  streamPrefix: 'app-passwords-',
  streamOf: (accountId) => `app-passwords-${accountId}`,
};
