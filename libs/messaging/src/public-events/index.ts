export * from './asyncapi.document.js';
export * from './event-schemas.js';
export * from './inbound-messages.js';
export * from './outgoing-message.js';
export * from './public-event.js';
export * from './public-events.js';
export * from './sample-events.js';
export * from './translation.js';
