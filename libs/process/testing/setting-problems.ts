import type { z } from 'zod';
import { InvalidConfiguration, readSettings } from '../src/settings/read-settings.js';

/** Returns the problems of the settings in an environment. */
export function settingProblems(schema: z.ZodObject, environment: Record<string, string>): readonly string[] {
  try {
    readSettings(schema, environment);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error;
    return error.problems;
  }
}
