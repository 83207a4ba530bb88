/** The broker is unreachable or blocked, or the connection was lost before a confirm: the message may have arrived. */
export class BrokerUnavailable extends Error {
  override readonly name = 'BrokerUnavailable';
}

/** The broker refused the message because a queue is full or none is bound. A retry may succeed. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

/** The message cannot be translated or encoded, or is too large. Retries cannot succeed. */
export class UnsendableMessage extends Error {
  override readonly name = 'UnsendableMessage';
}
