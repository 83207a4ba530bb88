export {
  COMMANDS,
  COMMANDS_EXCHANGE,
  HandlerTimedOut,
  InvalidMessage,
  QUESTIONS,
  RPC_EXCHANGE,
  type MessageContext,
} from './consuming.js';
export * from './publishing.js';
export * from './relay/message-outlet.js';
export * from './relay/outlet.js';
export * from './relay/parked-accounts.js';
export * from './relay/relay.js';
export * from './replay.js';
