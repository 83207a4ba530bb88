import type { z } from 'zod';

/**
 * One public event. The schema of `data` is the only source: the TypeScript type, the JSON Schema, the AsyncAPI document and the
 * pages follow from it.
 */
export type EventDefinition<Data extends z.ZodObject = z.ZodObject> = Readonly<{
  /**
   * Of the schema of `data`. A field that is added raises the second number, better words the third; nothing is ever taken away:
   * that would be a new type.
   */
  version: string;
  /** The version of Keyfold that sent it first. */
  since: string;
  title: string;
  /** When it is sent, in one sentence for people. */
  when: string;
  data: Data;
  sample: Readonly<{ stream: string; data: z.infer<Data> }>;
}>;

/** Checks a definition's sample against its schema while compiling. */
export const defineEvent = <Data extends z.ZodObject>(definition: EventDefinition<Data>): EventDefinition<Data> =>
  definition;
