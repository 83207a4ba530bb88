/** The broker cannot be reached, is blocked, or went away before it answered: what was sent may have arrived. */
export class BrokerUnavailable extends Error {
  override readonly name = 'BrokerUnavailable';
}

/** The broker took the message and refused it (a queue is full, or nothing is bound): a later try may succeed. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

/** The message cannot be sent as it is, however often it is tried: too large, or nobody knows how to encode it. */
export class UnsendableMessage extends Error {
  override readonly name = 'UnsendableMessage';
}
