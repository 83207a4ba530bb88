// What the benchmark uses of the service, built as the apps are.
import { pathToFileURL } from 'node:url';
import { built } from '../../../scripts/build.mjs';

const code = await import(pathToFileURL(built('test/bench/scaled/measured.ts')).href);

export const { domain, eventStore, MongoParkedAccounts, MongoReadModelStore, mongoModels, nameHash } = code;
export const { placeOf, projections, rabbitmq, sealedFor, security, slotOf } = code;
export const messaging = { ...code.messages, ...code.publicEvents };

/** The file that starts a built app. */
export const mainOf = (app) => new URL(`../../../dist/apps/${app}/src/main.js`, import.meta.url).pathname;
