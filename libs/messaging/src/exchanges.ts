/** Public events, by their type as routing key: subscribers bind their own queues to it. */
export const EVENTS_EXCHANGE = 'keyfold.events';
/** Commands of other services, by their type as routing key. */
export const COMMANDS_EXCHANGE = 'keyfold.commands';
/** Questions, by their type as routing key: whoever asks needs no right on the default exchange, which leads to every queue. */
export const RPC_EXCHANGE = 'keyfold.rpc';
