import { parseSealingKeys, parseTokenSecrets, requireStrongSealingKey } from '@keyfold/security';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** A decimal number between two others; `text` is told when it is not. */
export const number = (text: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, text)
    .transform(Number)
    .pipe(z.number(text).min(min, text).max(max, text));

export const port = number('needs a port number from 0 to 65535', 0, 65_535).refine(
  Number.isInteger,
  'needs a whole number',
);

const entriesOf = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** A comma list of user names; `none` is an empty one. */
export const names = z.string().transform((list) => (list.trim() === 'none' ? [] : entriesOf(list)));

/** A comma list of addresses and CIDR networks. */
export const networks = z
  .string()
  .default('')
  .transform(entriesOf)
  .pipe(
    z.array(
      z.string().refine((text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text), {
        error: (issue) => `${String(issue.input)} is no address and no CIDR network`,
      }),
    ),
  );

/** A list `id:key`; the problem that is told never contains the key. */
export const sealingKeys = (missing: string) =>
  secrets(missing, (text) => requireStrongSealingKey(parseSealingKeys(text)));

/** A comma list of secrets that sign tokens; the problem that is told never contains one. */
export const tokenSecrets = (missing: string) => secrets(missing, parseTokenSecrets);

/** A text that `check` takes; else its error is the problem. */
const secrets = (missing: string, check: (text: string) => unknown) =>
  z.string(missing).superRefine((text, context) => {
    try {
      check(text);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  });

/** An address of MongoDB with the name of a database; a problem never contains the password. */
export const mongoUri = z
  .string('is required: mongodb://<host>:27017/<database>?replicaSet=<name>')
  .regex(/^mongodb(?:\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
  .regex(
    /^[^:]+:\/\/[^/?]+\/[^/?]+(?:\?.*)?$/,
    'must name a database behind the hosts: mongodb://<host>:27017/<database>. A slash in the password is written %2F',
  );

/** An address of RabbitMQ; a problem never contains the password. */
export const amqpUrl = z
  .string('is required: amqp://<user>:<password>@<host>:5672/<virtual host>')
  .regex(/^amqps?:\/\//, { error: 'must begin with amqp:// or amqps://', abort: true })
  .refine(
    (text) => URL.canParse(text) && /^amqps?:\/\/(?:[^/?#@]+@)?[^/?#@]+(?:\/[^/?#@]*)?(?:\?[^#@]*)?$/.test(text),
    'is no address: amqp://<user>:<password>@<host>:5672/<virtual host>. In user, password and virtual host / is written %2F, and @ %40',
  );

/** An address of HTTP that may have user and password; a problem never contains the password. */
export const httpUrl = z
  .string()
  .regex(/^https?:\/\//, { error: 'must begin with http:// or https://', abort: true })
  .refine(
    (text) => URL.canParse(text) && /^https?:\/\/(?:[^/?#@]+@)?[^/?#@]+(?:\/[^?#@]*)?$/.test(text),
    'is no address: http://<user>:<password>@<host>:15672. In user and password / is written %2F, and @ %40',
  );
