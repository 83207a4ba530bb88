export * from './messaging.errors.js';
export * from './public-events/public-event.js';
export * from './relay/event-publisher.js';
