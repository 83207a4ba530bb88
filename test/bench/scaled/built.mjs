// What the benchmark uses of the built service: the code that is measured also makes the data, so that shapes cannot drift apart.
const dist = new URL('../../../dist/', import.meta.url);
const built = (path) => import(new URL(path, dist).href);

export const domain = await built('libs/domain/src/index.js');
export const eventStore = await built('libs/event-store/src/mongo/index.js');
export const { placeOf, slotOf } = await built('libs/event-store/src/mongo/commit.model.js');
export const projections = await built('libs/projections/src/index.js');
export const { MongoReadModelStore } = await built('libs/projections/src/mongo/index.js');
export const messaging = {
  ...(await built('libs/messaging/src/index.js')),
  ...(await built('libs/messaging/src/public-events/index.js')),
};
export const rabbitmq = await built('libs/messaging/src/rabbitmq/index.js');
export const { MongoParkedRelays } = await built('libs/messaging/src/mongo/index.js');
export const security = await built('libs/security/src/index.js');
export const { sealedFor } = await built('libs/application/src/sealed-for.js');
export const { nameHash } = await built('libs/application/src/user-names.js');
export const { mongoModels } = await built('libs/operation/src/stores/mongo-store.module.js');

/** The file that starts a built app. */
export const mainOf = (app) => new URL(`apps/${app}/src/main.js`, dist).pathname;
