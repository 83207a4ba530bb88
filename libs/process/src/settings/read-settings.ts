import { reasonOf } from '@keyfold/reporting';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { z } from 'zod';

/** The settings are invalid; `problems` has one sentence for each problem. */
export class InvalidConfiguration extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'InvalidConfiguration';
  }
}

/** The server cannot listen on its address; the message names the settings. */
export class UnusableAddress extends Error {
  constructor(host: string, port: number, settings: Readonly<{ host: string; port: string }>, cause: Error) {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const inUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    super(
      inUse
        ? `cannot listen on ${address}: the port is already in use. Stop the other program, or set ${settings.port} to another port`
        : `cannot listen on ${address}: ${reasonOf(cause)}. Check ${settings.host} and ${settings.port}`,
      { cause },
    );
    this.name = 'UnusableAddress';
  }
}

const WRITABLE_BY_EVERYONE = 0o002;

export type Environment = Readonly<Record<string, string | undefined>>;

/** compat: the original uses this name. */
const ALIASES: Record<string, string> = { OPENLIST_ADMIN_PASSWORD: 'KEYFOLD_ADMIN_PASSWORD' };

/**
 * Reads the settings of a schema from the environment, or each from the file that `<setting>_FILE` names. Throws `InvalidConfiguration`
 * with all problems at once.
 */
export function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.infer<z.ZodObject<Shape>> {
  const problems: string[] = [];
  const unread = new Set<string>();
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const problemsBefore = problems.length;
    const value = valueOf(name, environment, problems);
    if (value) values[name] = value;
    if (problems.length > problemsBefore) unread.add(name);
  }
  const parsed = schema.safeParse(values);
  const issues = parsed.error?.issues ?? [];
  for (const { path, message } of issues) {
    // A setting whose file cannot be read is not reported as missing, too.
    if (!unread.has(String(path[0]))) problems.push(`${String(path[0])}: ${message}`);
  }
  if (problems.length > 0 || !parsed.success) throw new InvalidConfiguration(problems);
  return parsed.data;
}

/** Returns the value of a setting or its alias, or the content of the file that one of them names. */
function valueOf(name: string, environment: Environment, problems: string[]): string | undefined {
  const names = [name, ...Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name)];
  // An empty variable counts as not set, because compose files cannot omit one.
  const set = (each: string) => Boolean(environment[each]);
  const plain = names.find(set);
  const fileSetting = names.map((each) => `${each}_FILE`).find(set);
  if (fileSetting === undefined) return plain && environment[plain];
  if (plain !== undefined) {
    problems.push(`${plain} and ${fileSetting} are both set. Remove one of them`);
    return undefined;
  }
  return contentOf(fileSetting, environment[fileSetting]!, problems);
}

function contentOf(fileSetting: string, file: string, problems: string[]): string | undefined {
  try {
    const { mode, text } = contentAndMode(file);
    // The owner is not checked: secrets of a compose file keep the owner that they have on the host.
    if (mode & WRITABLE_BY_EVERYONE)
      problems.push(`${fileSetting}: every user can write to ${file}. Check its content and run \`chmod o-w\` on it`);
    else if (text === '') problems.push(`${fileSetting}: ${file} is empty`);
    else if (text.trim() !== text)
      problems.push(
        `${fileSetting}: ${file} begins or ends with white space. Remove it, or set ${fileSetting.slice(0, -'_FILE'.length)} if it belongs to the value`,
      );
    return text;
  } catch (error) {
    problems.push(`${fileSetting}: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}

/** Reads the mode of the same file as the content, even if the path changes meanwhile. */
function contentAndMode(file: string): { mode: number; text: string } {
  const descriptor = openSync(file, 'r');
  try {
    // The decoder skips a byte order mark, which some editors write.
    const text = new TextDecoder().decode(readFileSync(descriptor)).replace(/\r?\n$/, '');
    return { mode: fstatSync(descriptor).mode, text };
  } finally {
    closeSync(descriptor);
  }
}
