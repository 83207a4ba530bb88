// The parts of the service that the benchmark uses, built like the apps.
import { pathToFileURL } from 'node:url';
import { built } from '../../../scripts/build.mjs';

const code = await import(pathToFileURL(built('test/bench/scaled/measured.ts')).href);

export const { domain, eventStore, MongoParkedAccounts, MongoReadModelStore, mongoModels, nameHash } = code;
export const { feedKeyOf, projections, rabbitmq, sealingContext, security, slotOf } = code;
export const messaging = { ...code.messages, ...code.publicEvents };

/** Returns the main file of a built app. */
export const mainOf = (app) => new URL(`../../../dist/apps/${app}/src/main.js`, import.meta.url).pathname;
