import { parseSealingKeys, parseTokenSecrets, requireStrongSealingKey } from '@keyfold/security';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** A decimal number from `min` to `max`; `text` is the error message. */
export const number = (text: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, text)
    .transform(Number)
    .pipe(z.number(text).min(min, text).max(max, text));

/** As `number`, but without a fraction; `broken` is the message for one. */
export const integer = (text: string, min: number, max: number, broken = text) =>
  number(text, min, max).refine(Number.isInteger, broken);

export const port = integer('must be a port number from 0 to 65535', 0, 65_535, 'must be an integer');

const entriesOf = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** A comma-separated list of user names; `none` is the empty list. */
export const names = z.string().transform((list) => (list.trim() === 'none' ? [] : entriesOf(list)));

/** A comma-separated list of IP addresses and CIDR networks. */
export const networks = z
  .string()
  .default('')
  .transform(entriesOf)
  .pipe(
    z.array(
      z.string().refine((text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text), {
        error: (issue) => `${String(issue.input)} is not an IP address or a CIDR network`,
      }),
    ),
  );

/** A list of sealing keys `id:key`. A problem never contains a key. */
export const sealingKeys = (missing: string) =>
  secrets(missing, (text) => requireStrongSealingKey(parseSealingKeys(text)));

/** A comma-separated list of token secrets. A problem never contains one. */
export const tokenSecrets = (missing: string) => secrets(missing, parseTokenSecrets);

/** A text that `check` accepts; otherwise the message of its error is the problem. */
const secrets = (missing: string, check: (text: string) => unknown) =>
  z.string(missing).superRefine((text, context) => {
    try {
      check(text);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  });

/** A MongoDB connection string with a database name. A problem never contains the password. */
export const mongoUri = z
  .string('is required: mongodb://<host>:27017/<database>?replicaSet=<name>')
  .regex(/^mongodb(?:\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
  .regex(
    /^[^:]+:\/\/[^/?]+\/[^/?]+(?:\?.*)?$/,
    'must name a database after the hosts: mongodb://<host>:27017/<database>. Write a slash in the password as %2F',
  );

/** A RabbitMQ URL. A problem never contains the password. */
export const amqpUrl = z
  .string('is required: amqp://<user>:<password>@<host>:5672/<virtual host>')
  .regex(/^amqps?:\/\//, { error: 'must begin with amqp:// or amqps://', abort: true })
  .refine(
    (text) => URL.canParse(text) && /^amqps?:\/\/(?:[^/?#@]+@)?[^/?#@]+(?:\/[^/?#@]*)?(?:\?[^#@]*)?$/.test(text),
    'is not a valid URL: amqp://<user>:<password>@<host>:5672/<virtual host>. Write / as %2F and @ as %40 in user, password and virtual host',
  );

/** An HTTP URL, possibly with user and password. A problem never contains the password. */
export const httpUrl = z
  .string()
  .regex(/^https?:\/\//, { error: 'must begin with http:// or https://', abort: true })
  .refine(
    (text) => URL.canParse(text) && /^https?:\/\/(?:[^/?#@]+@)?[^/?#@]+(?:\/[^?#@]*)?$/.test(text),
    'is not a valid URL: http://<user>:<password>@<host>:15672. Write / as %2F and @ as %40 in user and password',
  );

/** The URL of an HTTP server, without user, path and query. */
export const originUrl = z
  .string()
  .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must be a URL without user and path: http://<host>:<port>')
  .refine((text) => URL.canParse(text), 'is not a valid URL: http://<host>:<port>')
  .transform((text) => new URL(text).origin);
