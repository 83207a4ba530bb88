/** Carries public events; the routing key is the type. Subscribers bind their own queues to it. */
export const EVENTS_EXCHANGE = 'keyfold.events';
/** Carries commands of other services; the routing key is the type. */
export const COMMANDS_EXCHANGE = 'keyfold.commands';
/** Carries questions; the routing key is the type. Requesters need no permission on the default exchange, which reaches every queue. */
export const RPC_EXCHANGE = 'keyfold.rpc';
