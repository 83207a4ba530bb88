import type { ExitCode } from '@keyfold/process';
import type { BrokerRun, CommandRun } from '../command-run.js';

/** A kind of value. It checks by hand what another process sends, because zod would double the time until a help text appears. */
export type Kind<Value> = Readonly<{
  is(value: unknown): value is Value;
  /** Reads a word of the command line. Returns undefined if it is not `expected`. Missing for texts. */
  read?(word: string): Value | undefined;
  expected?: string;
}>;

/** Whether a value can be missing, and whether a request contains it: `local` is only for the command line, `asked` comes from a prompt or a file. */
type Presence = 'always' | 'optional';
type Place = 'sent' | 'local' | 'asked';

/** A value of a command, under its name in requests. */
export type Field<Value = unknown, Has extends Presence = Presence, In extends Place = Place> = Readonly<{
  kind: Kind<Value>;
  presence: Has;
  place: In;
  /** Its arguments and options, each with its help, as commander writes them: `<id>`, `[id]`, `[id...]`, `--id <id>`. */
  words: readonly (readonly [syntax: string, help: string])[];
  /** The value if the command line has none. */
  fallback?: Value;
}>;

/** Values that a request has in an object of their own. */
export type Group<Each extends Fields = Fields> = Readonly<{ fields: Each }>;
export type Fields = { readonly [name: string]: Field | Group };

type ValueOf<Each> =
  Each extends Field<infer Value> ? Value : Each extends Group<infer Inner> ? Values<Inner, 'sent'> : never;
type Values<All extends Fields, In extends Place> = {
  readonly [Name in keyof All as All[Name] extends Group | Field<unknown, 'always', In> ? Name : never]: ValueOf<
    All[Name]
  >;
} & {
  readonly [Name in keyof All as All[Name] extends Field<unknown, 'optional', In> ? Name : never]?:
    ValueOf<All[Name]> | undefined;
};

/** The values of a request. */
export type Sent<All extends Fields> = Values<All, 'sent' | 'asked'>;
/** The values of a command line. */
export type Given<All extends Fields> = Values<All, 'sent' | 'local'>;

type Row<All extends Fields> = Readonly<{
  /** A sentence, also for the list of commands. */
  description?: string;
  /** The rest of the help text. */
  help?: string;
  fields: All;
  /** Returns why the command line is wrong although each of its values is right. */
  problem?(given: Given<All>): string | undefined;
  /** The error for an unexpected word. The usual errors would print it, and it may be a secret. */
  unexpected?: string;
}>;

/** A command on the store. One without a help text is not on the command line. */
export type StoreCommand<All extends Fields = Fields> = Row<All> &
  Readonly<{
    /** Returns what the command does with secrets, for which it needs the sealing key, or undefined if it needs none. */
    sealingTask?(args: Sent<All>): string | undefined;
    run(args: Sent<All>, run: CommandRun): Promise<ExitCode>;
  }>;

/** A command whose process opens the stores itself, and never runs in the one that owns the data folder. */
export type DirectCommand<All extends Fields = Fields> = Row<All>;

/** A command on RabbitMQ, which needs no store. */
export type BrokerCommand<All extends Fields = Fields> = Row<All> &
  Readonly<{ run(args: Sent<All>, run: BrokerRun): Promise<ExitCode> }>;

export const onStore = <All extends Fields>(command: StoreCommand<All>) => command;
export const direct = <All extends Fields>(command: DirectCommand<All>) => command;
export const onBroker = <All extends Fields>(command: BrokerCommand<All>) => command;

const isText = (value: unknown) => typeof value === 'string';
const isPositiveInteger = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const isInt32 = (value: unknown): value is number => Number.isInteger(value) && (Number(value) | 0) === value;
const positive = (expected: string): Kind<number> => ({
  is: isPositiveInteger,
  read: (word) => (/^[1-9]\d{0,15}$/.test(word) && isPositiveInteger(Number(word)) ? Number(word) : undefined),
  expected,
});

export const text: Kind<string> = { is: isText };
export const texts: Kind<readonly string[]> = { is: (value) => Array.isArray(value) && value.every(isText) };
export const truth: Kind<boolean> = { is: (value) => typeof value === 'boolean' };
export const positiveInteger = positive('a positive integer');
export const accountId = positive('an account id');
export const keyId = positive('the id of a key');
/** In unix milliseconds. */
export const time: Kind<number> = {
  is: (value): value is number => Number.isFinite(value),
  read: (word) => (/^\d{4}-\d{2}-\d{2}/.test(word) && !Number.isNaN(Date.parse(word)) ? Date.parse(word) : undefined),
  expected: 'an ISO 8601 timestamp',
};
export const oneOf = <Value extends string>(...values: readonly Value[]): Kind<Value> => {
  const find = (word: unknown) => values.find((value) => value === word);
  return { is: (value): value is Value => find(value) !== undefined, read: find, expected: values.join(' or ') };
};
/** Permissions are stored as in the original, which accepts every `int32`. */
export const permission: Kind<number> = {
  is: isInt32,
  read: (word) => (word.trim() !== '' && isInt32(Number(word)) ? Number(word) : undefined),
  expected: 'an integer of 32 bits, for example 256 or 0x100',
};

type Words = Field['words'];
const sent = <Value, Has extends Presence>(
  kind: Kind<Value>,
  presence: Has,
  ...words: Words
): Field<Value, Has, 'sent'> => ({
  kind,
  presence,
  place: 'sent',
  words,
});

export const argument = (syntax: `<${string}>`, help: string) => sent(text, 'always', [syntax, help]);
export const argumentOf = <Value>(kind: Kind<Value>, syntax: `<${string}>`, help: string) =>
  sent(kind, 'always', [syntax, help]);
export const optionalArgument = (syntax: `[${string}]`, help: string) => sent(text, 'optional', [syntax, help]);
export const listArgument = (syntax: `[${string}...]`, help: string) => ({
  ...sent(texts, 'always', [syntax, help]),
  fallback: [],
});
export const flag = (syntax: `--${string}`, help: string) => ({
  ...sent(truth, 'always', [syntax, help]),
  fallback: false,
});
/** An option for each of its two values. */
export const choice = (...words: readonly [Words[number], Words[number]]) => sent(truth, 'optional', ...words);
export const option = <Value>(syntax: `--${string}>`, help: string, kind: Kind<Value>) =>
  sent(kind, 'optional', [syntax, help]);
export const requiredOption = (syntax: `--${string}>`, help: string) => sent(text, 'always', [syntax, help]);
export const optionOr = <Value>(fallback: Value, syntax: `--${string}>`, help: string, kind: Kind<Value>) => ({
  ...sent(kind, 'always', [syntax, help]),
  fallback,
});
export const local = <Value, Has extends Presence>(field: Field<Value, Has, 'sent'>): Field<Value, Has, 'local'> => ({
  ...field,
  place: 'local',
});
export const asked = <Value, Has extends Presence>(kind: Kind<Value>, presence: Has): Field<Value, Has, 'asked'> => ({
  kind,
  presence,
  place: 'asked',
  words: [],
});
export const group = <Each extends Fields>(fields: Each): Group<Each> => ({ fields });

/** `--json`, with what it prints. */
export const json = (printed: string) => flag('--json', `print ${printed}`);

/** Returns the known values of a request, or undefined if one is missing or wrong. The request may come from another version. */
export function readSent<All extends Fields>(fields: All, input: unknown): Sent<All> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const values = new Map<string, unknown>();
  for (const [name, field] of Object.entries(fields)) {
    const value = (input as Record<string, unknown>)[name];
    if ('fields' in field) values.set(name, readSent(field.fields, value));
    else if (field.place !== 'local' && value !== undefined) values.set(name, field.kind.is(value) ? value : undefined);
    else if (field.place === 'local' || field.presence === 'optional') continue;
    if (values.get(name) === undefined) return undefined;
  }
  return Object.fromEntries(values) as Sent<All>;
}
