import { z } from 'zod';

/**
 * Defines a public event. The TypeScript type, the JSON Schema, the AsyncAPI document and the documentation page are all derived from the
 * schema of `data`.
 */
export type EventDefinition<Data extends z.ZodObject = z.ZodObject> = Readonly<{
  /**
   * The version of the schema. A new field raises the minor version, a better text the patch version. Removing or changing a field requires
   * a new event type.
   */
  version: string;
  /** The first version of Keyfold that sent the event. */
  since: string;
  title: string;
  /** Says when the event is sent, in one or two sentences. */
  when: string;
  data: Data;
  sample: Readonly<{ stream: string; data: z.infer<Data> }>;
}>;

type Defaults = 'version' | 'since';

/** Defines an event; the compiler checks the sample against the schema. Without other values, it has the version of the first release. */
export const defineEvent = <Data extends z.ZodObject>(
  definition: Omit<EventDefinition<Data>, Defaults> & Partial<Pick<EventDefinition<Data>, Defaults>>,
): EventDefinition<Data> => ({ version: '1.0.0', since: '0.2.0', ...definition });

/** Fields that several public events share. Sets that may grow are plain strings, so that a new value breaks no subscriber. */
export const field = {
  accountId: z.int().min(1).describe('The id of the account; never used again.'),
  username: z.string().describe('The exact name of the account.'),
  basePath: z.string().describe('The folder that the account sees as its root.'),
  permission: z
    .int()
    .min(-2147483648)
    .max(2147483647)
    .describe('The rights of the account as bits of a signed 32-bit number.'),
  keyId: z.int().min(1).describe('The id of the key; never used again.'),
  fingerprint: z.string().describe('As `ssh-keygen -lf` prints it.'),
  keyExpires: z.iso
    .datetime()
    .optional()
    .describe('From when on servers must refuse the key, ISO 8601 in UTC. Missing if it never expires.'),
  sessionId: z.string().describe('The id of the session, the `jti` of its token.'),
  /** A timestamp, in the format of all public events. */
  time: (what: string) => z.iso.datetime().describe(`${what}, ISO 8601 in UTC.`),
};
