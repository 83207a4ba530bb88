import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type Codec = { decodeFields(slice: Buffer): Record<string, unknown> };

/**
 * To be imported before amqplib. amqplib 2.3 reads nested tables and arrays of headers by recursion, and an error while it reads ends
 * the connection: a message with some thousand levels, which a broker takes from anybody, would come back and end it again for ever,
 * and with it everything that is consumed over it. Headers that cannot be read count as none.
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
