import type { SettingInput } from '@keyfold/application';
import { z } from 'zod';

const items = z.array(z.object({ key: z.string().min(1), value: z.string() }), 'expected a JSON array');

/** Reads the settings of a file: a JSON array of objects with key and value, which may have other fields. */
export function parseSettings(text: string): { settings: readonly SettingInput[] } | { problem: string } {
  const parsed = items.safeParse(jsonOf(text));
  if (parsed.success) return { settings: parsed.data };
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  const place = path.length === 0 ? '' : `in entry ${Number(path[0]) + 1}, ${path.slice(1).join('.')}: `;
  return { problem: `the file contains no list of settings: ${place}${message}` };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
