import type { z } from 'zod';

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
): EventDefinition<Data> => ({ version: '1.0.0', since: '0.1.0', ...definition });
