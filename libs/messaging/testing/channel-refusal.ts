/** Returns the error with which amqplib rejects an operation after the broker closed the channel. */
export const channelRefusal = (code: number, name: string, reason: string): Error =>
  Object.assign(
    new Error(`Operation failed: QueueDeclare; ${code} (${name.replace('_', '-')}) with message "${name} - ${reason}"`),
    { code },
  );

/** As RabbitMQ 4.2.6 and later refuse to check a queue or an exchange. */
export const accessRefused = (object: string): Error =>
  channelRefusal(403, 'ACCESS_REFUSED', `configure access to ${object} in vhost 'keyfold' refused for user 'worker'`);

export const notFound = (object: string): Error => channelRefusal(404, 'NOT_FOUND', `no ${object} in vhost 'keyfold'`);
