import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type Codec = { decodeFields(slice: Buffer): Record<string, unknown> };

/**
 * Treats headers that amqplib cannot decode as empty. Import this before amqplib.
 *
 * amqplib 2.3.1, the latest version, decodes nested headers recursively, and an error in the decoder closes the connection. A message with
 * headers nested some thousand levels deep, which any sender can publish, overflows the stack. It would be redelivered after each reconnect
 * and stop everything that is consumed over the connection. amqplib has no option for this, so its decoder is patched here.
 */
const require = createRequire(import.meta.url);
const codec = require(join(dirname(require.resolve('amqplib')), 'lib/codec.js')) as Codec;
const { decodeFields } = codec;

codec.decodeFields = (slice) => {
  try {
    return decodeFields(slice);
  } catch {
    return {};
  }
};
