import { networkOf } from '@keyfold/gateway';
import { parseSealingKeys } from '@keyfold/security';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Everything that was wrong with the environment, one sentence each. */
export class InvalidConfiguration extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'InvalidConfiguration';
  }
}

/** 256 bit, if each letter carries eight (RFC 7518 section 3.2). */
export const TOKEN_SECRET_LETTERS = 32;

const number = (text: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, text)
    .transform(Number)
    .pipe(z.number(text).min(min, text).max(max, text));
const port = number('needs a port number from 0 to 65535', 0, 65_535).refine(Number.isInteger, 'needs a whole number');
const address = z
  .string()
  .refine(isNetwork, { error: (issue) => `${String(issue.input)} is no address and no CIDR network` });
const sealingKey = z.string().superRefine((text, context) => {
  try {
    parseSealingKeys(text);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

/** The settings of one process on the embedded store (README, settings). Each may also come from the file named by `<setting>_FILE`. */
const settings = z.object({
  /** Where the API listens. */
  KEYFOLD_HOST: z.string().default('0.0.0.0'),
  KEYFOLD_PORT: port.prefault('5244'),
  /** This process knows the embedded store only. */
  KEYFOLD_STORE: z.literal('sqlite', 'the standalone process works on sqlite').default('sqlite'),
  /** Holds the database and the generated secrets. */
  KEYFOLD_DATA_DIR: z
    .string()
    .default('./data')
    .transform((folder) => resolve(folder)),
  /** The first password of the admin; used only when no admin exists. */
  KEYFOLD_ADMIN_PASSWORD: z.string().optional(),
  /** Signs tokens; generated in the data folder when missing. */
  KEYFOLD_TOKEN_SECRET: z.string().min(TOKEN_SECRET_LETTERS, 'needs at least 32 characters (256 bit)').optional(),
  /** A list `id:key`; the first key seals, all open. Generated in the data folder when missing. */
  KEYFOLD_SEALING_KEY: sealingKey.optional(),
  /** How long a token is good for. */
  KEYFOLD_TOKEN_HOURS: number('needs a number of hours from 0.01 to 87600', 0.01, 87_600).prefault('48'),
  /** Proxies whose forwarded headers are believed: addresses and CIDR networks. */
  KEYFOLD_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .pipe(z.array(address)),
  KEYFOLD_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type StandaloneConfig = z.infer<typeof settings>;
type Environment = Readonly<Record<string, string | undefined>>;

/** compat: operators of the original know this name. */
const ALIASES: Record<string, string> = { OPENLIST_ADMIN_PASSWORD: 'KEYFOLD_ADMIN_PASSWORD' };

/** Reads the settings from the environment. Throws `InvalidConfiguration` with all problems at once. */
export function readStandaloneConfig(environment: Environment): StandaloneConfig {
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const name of Object.keys(settings.shape)) {
    const value = valueOf(name, environment, problems);
    if (value) values[name] = value;
  }
  const parsed = settings.safeParse(values);
  if (!parsed.success)
    problems.push(...parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`));
  if (problems.length > 0 || !parsed.success) throw new InvalidConfiguration(problems);
  return parsed.data;
}

/** The value of a setting, of the file that it names, or of its alias. */
function valueOf(name: string, environment: Environment, problems: string[]): string | undefined {
  const alias = Object.keys(ALIASES).find((each) => ALIASES[each] === name);
  // An empty variable is one that is not set: compose files cannot leave one out.
  const value = environment[name] || (alias && environment[alias]);
  const file = environment[`${name}_FILE`];
  if (!file) return value;
  if (value) {
    problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
    return undefined;
  }
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text === '') problems.push(`${name}_FILE: ${file} is empty`);
    return text;
  } catch (error) {
    problems.push(`${name}_FILE: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}

function isNetwork(text: string): boolean {
  try {
    networkOf(text);
    return true;
  } catch {
    return false;
  }
}
