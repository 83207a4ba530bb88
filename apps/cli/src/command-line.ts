import { allCommands, commandGroups, type Field, type Fields, type Kind } from '@keyfold/operator/commands';
import { serviceVersion } from '@keyfold/process/launch';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';

const OVERVIEW = `
In the archive and the image, "keyfold start" runs the service in one process, and "keyfold gateway" and "keyfold worker" run its parts.
From the sources, use "npm start", "npm run start:gateway" and "npm run start:worker".

Commands use the store of the settings. KEYFOLD_STORE is sqlite or mongodb. It defaults to mongodb if KEYFOLD_MONGODB_URI is set, and
otherwise to sqlite in KEYFOLD_DATA_DIR (./data). Each setting can also come from the file that <setting>_FILE names.

You can run every command beside running processes. Only one process can open the embedded store (sqlite). If a service has it open, the
command runs inside that service, which accepts it on a socket in the data folder. Otherwise the command opens the store itself, and a
service cannot start until the command ends.

The commands "topology" and "queue" use only RabbitMQ. See their help.

Exit status: 0 success, 1 problem found or command failed, 2 invalid usage, 78 invalid settings, 130 interrupted.`;

type Run = (name: string, given: Readonly<Record<string, unknown>>) => Promise<void>;

/** Runs a command line, given without the program name. Returns the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  /** Loads the code of the commands only when one runs, so that help appears at once. */
  const load = () => import('./execute-command.js');
  const run: Run = async (name, given) => {
    status = await (await load()).executeCommand(name, given);
  };
  try {
    await commandLine(run).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the error or the help.
    if (error.exitCode === 0) return status;
    const { WRONG_USAGE } = await load();
    return WRONG_USAGE;
  }
  return status;
}

/** Returns the commands and their help; `docs/reference/commands.md` is generated from it. */
export function commandLine(run: Run): Command {
  const program = new Command('keyfold')
    .description('Administers the account service Keyfold.')
    .version(serviceVersion, '--version', 'display the version')
    .addHelpText('after', OVERVIEW)
    .showHelpAfterError('(run the command with --help for details)')
    .exitOverride();
  for (const [name, { help }] of Object.entries(allCommands)) if (help !== undefined) addCommand(program, name, run);
  return program;
}

function addCommand(program: Command, name: string, run: Run): void {
  const { fields, description = '', help = '', problem, unexpected } = allCommands[name]!;
  const [word = '', group] = name.split(' ').toReversed();
  const command = (group === undefined ? program : groupOf(program, group)).command(word);
  command.description(description).addHelpText('after', help);
  addWords(command, fields);
  if (unexpected !== undefined) command.allowExcessArguments().allowUnknownOption();
  command.action(async () => {
    if (unexpected !== undefined && command.args.length > command.registeredArguments.length)
      command.error(`error: ${unexpected}`);
    const given = givenTo(command, fields);
    const wrong = problem?.(given);
    if (wrong !== undefined) command.error(`error: ${wrong}`);
    await run(name, given);
  });
}

function groupOf(program: Command, name: string): Command {
  const existing = program.commands.find((each) => each.name() === name);
  return existing ?? program.command(name).description(commandGroups[name]!);
}

const isOption = (syntax: string) => syntax.startsWith('-');

/** Adds the arguments and options of fields. */
function addWords(command: Command, fields: Fields): void {
  for (const field of Object.values(fields)) {
    if ('fields' in field) addWords(command, field.fields);
    else
      for (const [syntax, help] of field.words) {
        if (isOption(syntax)) command.addOption(optionOf(syntax, help, field));
        else command.addArgument(argumentOf(syntax, help, field));
      }
  }
}

function optionOf(syntax: string, help: string, { kind, presence, fallback }: Field): Option {
  const option = new Option(syntax, help).makeOptionMandatory(presence === 'always' && fallback === undefined);
  return kind.read ? option.argParser(parserOf(kind)) : option;
}

function argumentOf(syntax: string, help: string, { kind }: Field): Argument {
  const argument = new Argument(syntax, help);
  return kind.read ? argument.argParser(parserOf(kind)) : argument;
}

const parserOf =
  ({ read, expected }: Kind<unknown>) =>
  (word: string): unknown => {
    const value = read?.(word);
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
    return value;
  };

/** Returns the values of fields by their names. */
function givenTo(command: Command, fields: Fields): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, field]) => {
    if ('fields' in field) return [name, givenTo(command, field.fields)] as const;
    const [first] = field.words;
    return [name, (first && valueOf(command, first[0])) ?? field.fallback] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function valueOf(command: Command, syntax: string): unknown {
  if (isOption(syntax)) return command.getOptionValue(new Option(syntax).attributeName());
  const name = new Argument(syntax).name();
  return command.processedArgs[command.registeredArguments.findIndex((each) => each.name() === name)];
}
