/** Code of the service that the benchmark measures, and that makes its data, so that shapes cannot drift apart. */
export { CommandRunner } from '../../../libs/application/src/commands/command-runner.js';
export { sealingContext } from '../../../libs/application/src/secrets/sealing.js';
export { nameHash } from '../../../libs/application/src/login/user-names.js';
export { SshKeyExpiry } from '../../../libs/application/src/ssh-keys/ssh-key-expiry.js';
export { feedKeyOf, slotOf, SLOTS } from '../../../libs/event-store/src/mongo/commit.model.js';
export { mongoModels } from '../../../libs/wiring/src/mongo/mongo-models.js';
export * as domain from '@keyfold/domain';
export * as eventStore from '@keyfold/event-store/mongo';
export * as messages from '@keyfold/messaging';
export * as publicEvents from '@keyfold/messaging/events';
export { MongoParkedAccounts } from '@keyfold/messaging/mongo';
export * as rabbitmq from '@keyfold/messaging/rabbitmq';
export * as projections from '@keyfold/projections';
export { MongoReadModelStore } from '@keyfold/projections/mongo';
export * as security from '@keyfold/security';
