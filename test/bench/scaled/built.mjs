// The parts of the service that the benchmark uses, built like the apps.
import * as code from '../../../dist/bench/measured.js';

export const { domain, eventStore, MongoParkedAccounts, MongoReadModelStore, mongoModels, nameHash } = code;
export const { CommandRunner, SshKeyExpiry } = code;
export const { feedKeyOf, projections, rabbitmq, sealingContext, security, slotOf, SLOTS } = code;
export const messaging = { ...code.messages, ...code.publicEvents };

/** Returns the main file of a built app. */
export const mainOf = (app) => new URL(`../../../dist/apps/${app}/src/main.js`, import.meta.url).pathname;
