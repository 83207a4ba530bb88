import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Everything that was wrong with the environment, one sentence each. */
export class InvalidConfiguration extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'InvalidConfiguration';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** compat: operators of the original know this name. */
const ALIASES: Record<string, string> = { OPENLIST_ADMIN_PASSWORD: 'KEYFOLD_ADMIN_PASSWORD' };

/**
 * Reads the settings of a schema from the environment. Each may also come from the file named by `<setting>_FILE`. Throws
 * `InvalidConfiguration` with all problems at once.
 */
export function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.infer<z.ZodObject<Shape>> {
  const problems: string[] = [];
  const unread = new Set<string>();
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const known = problems.length;
    const value = valueOf(name, environment, problems);
    if (value) values[name] = value;
    if (problems.length > known) unread.add(name);
  }
  const parsed = schema.safeParse(values);
  const issues = parsed.error?.issues ?? [];
  for (const { path, message } of issues) {
    // What could not be read is not also missing.
    if (!unread.has(String(path[0]))) problems.push(`${String(path[0])}: ${message}`);
  }
  if (problems.length > 0 || !parsed.success) throw new InvalidConfiguration(problems);
  return parsed.data;
}

/** The value of a setting or its alias, or of the file that one of them names. */
function valueOf(name: string, environment: Environment, problems: string[]): string | undefined {
  const names = [name, ...Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name)];
  // An empty variable is one that is not set: compose files cannot leave one out.
  const set = (each: string) => Boolean(environment[each]);
  const plain = names.find(set);
  const fileSetting = names.map((each) => `${each}_FILE`).find(set);
  if (fileSetting === undefined) return plain && environment[plain];
  if (plain !== undefined) {
    problems.push(`${plain} and ${fileSetting} are both set: keep one of them`);
    return undefined;
  }
  return contentOf(fileSetting, environment[fileSetting]!, problems);
}

function contentOf(fileSetting: string, file: string, problems: string[]): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text === '') problems.push(`${fileSetting}: ${file} is empty`);
    return text;
  } catch (error) {
    problems.push(`${fileSetting}: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}
