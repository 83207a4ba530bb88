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
export { RelayCounter, type MessagesOf } from './relay/account-relay.js';
export * from './relay/parked-accounts.js';
export * from './relay/relay.js';
export * from './replay.js';
