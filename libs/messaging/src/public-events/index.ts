export { asyncApiDocument } from './asyncapi.document.js';
export {
  jsonSchemaOf,
  releasedSchemas,
  schemaOfEvent,
  schemaPathOf,
  schemaUriOf,
  type JsonSchema,
} from './event-schemas.js';
export { SshKeyLookUpReply, SshKeyLookUpRequest, SshKeyUseMessage } from './inbound-messages.js';
export * from './outgoing-message.js';
export * from './public-events.js';
export * from './translation.js';
