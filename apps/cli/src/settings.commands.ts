import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const SECRETS = `
Secrets are the static token, passwords and addresses of other services, and every setting that Keyfold does not know.`;

const KEYS = `
A running process on the embedded store uses its own sealing key. Otherwise the command uses KEYFOLD_SEALING_KEY, or on sqlite the file
sealing-key in the data folder. On mongodb set it to the same value as for the gateways.`;

const GET = `
Shows a table of all settings, or of some, with shortened values. A single setting is shown as its whole value. Shows (secret) instead of
a secret. Changes nothing.

With --json, each line is an object with key, value (null for a hidden secret), kind (public, private, read-only or unknown), secret,
type, options and help.
${SECRETS} Only --reveal needs the sealing key.
${KEYS}`;

const SET = `
Saves the value for every gateway and thread at once, and shows it before and after. The rules are those of the API.

Without a value and --value-file, the command asks for it twice on a terminal, without showing it, or reads standard input. A trailing
newline does not count. Put -- before a value that begins with a dash. The value of a secret cannot be an argument, because other users
can see arguments.
${SECRETS}
${KEYS}`;

const DIFF = `
Shows the settings whose values differ from those of a new service. The version and the static token do not count. Settings that Keyfold
does not know always differ. Changes nothing.

With --json, each line is an object with key, factory, value (both null for a hidden secret) and secret.
${KEYS}`;

const EXPORT = `
Writes a JSON array of objects with key and value, which "keyfold settings import" and the API's save accept. The file must not exist yet;
only its owner can read it. Without a file it writes to standard output. Changes nothing.
${SECRETS} Without --with-secrets they are left out.
${KEYS}`;

const IMPORT = `
Saves the values of a file, by default of standard input, in one commit. If one is refused, none is saved. The file has the form of
"keyfold settings export", of the API's list or of its save. Other fields than key and value are ignored, and so is the version. Settings
that the file lacks stay. A file has at most 1 MiB.

With --json, each line is an object with key, from, to (both null for a secret) and secret.
${KEYS}`;

const RESET = `
Saves the factory values of these settings, or with --all of every setting that has one. The static token and settings that Keyfold does
not know have none and stay.
${KEYS}`;

const DELETE = `
Deletes a setting that Keyfold does not know, for example one from a backup of another program. Its value is lost.`;

const RESET_TOKEN = `
Replaces the static token, which acts as an administrator, and shows the new one. The old one is refused at once.
${KEYS}`;

type Shown = Readonly<{ reveal?: boolean; json?: boolean }>;
type Saved = Readonly<{ dryRun?: boolean; json?: boolean }>;

/** Adds `settings`. */
export function addSettingsCommands(program: Command, actions: Actions): void {
  storeCommandGroup(program, 'settings')
    .summary('show and change the site settings')
    .description('Shows and changes the site settings.');
  addReadingCommands(program, actions);
  addSavingCommands(program, actions);
}

function addReadingCommands(program: Command, { onStore, exportSettings }: Actions): void {
  storeCommand(program, 'settings get')
    .summary('show settings')
    .description('Shows settings.')
    .argument('[key...]', 'settings to show (default: all)')
    .option('--reveal', 'show secrets')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', GET)
    .action((keys: string[], { reveal = false, json = false }: Shown) =>
      onStore('settings get', { keys, reveal, json }),
    );
  storeCommand(program, 'settings diff')
    .summary('show which settings differ from the factory values')
    .description('Shows which settings differ from the factory values.')
    .option('--reveal', 'show secrets')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', DIFF)
    .action(({ reveal = false, json = false }: Shown) => onStore('settings diff', { reveal, json }));
  storeCommand(program, 'settings export')
    .summary('write settings to a file')
    .description('Writes settings to a file.')
    .argument('[file]', 'new file (default: standard output)')
    .option('--with-secrets', 'also export secrets')
    .addHelpText('after', EXPORT)
    .action((file: string | undefined, { withSecrets = false }: { withSecrets?: boolean }) =>
      exportSettings({ secrets: withSecrets }, file),
    );
}

function addSavingCommands(program: Command, { onStore, setSetting, importSettings }: Actions): void {
  storeCommand(program, 'settings set')
    .summary('save the value of a setting')
    .description('Saves the value of a setting.')
    .argument('<key>', 'setting, for example site_title')
    .argument('[value]', 'new value, not for secrets')
    .option('--value-file <file>', 'file that contains the value')
    .option('--dry-run', 'only show the change')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', SET)
    .action(
      (key: string, value: string | undefined, { valueFile, ...saved }: Saved & { valueFile?: string }, command) => {
        if (value !== undefined && valueFile !== undefined)
          (command as Command).error("error: use either a value or '--value-file'");
        const { dryRun = false, json = false } = saved;
        return setSetting({ key, value, dryRun, json }, valueFile);
      },
    );
  storeCommand(program, 'settings import')
    .summary('save the settings of a file')
    .description('Saves the settings of a file.')
    .argument('[file]', 'file to read (default: standard input)')
    .option('--dry-run', 'only show the changes')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', IMPORT)
    .action((file: string | undefined, { dryRun = false, json = false }: Saved) =>
      importSettings({ dryRun, json }, file),
    );
  storeCommand(program, 'settings reset')
    .summary('save factory values')
    .description('Saves factory values.')
    .argument('[key...]', 'settings to reset')
    .option('--all', 'reset every setting')
    .option('--dry-run', 'only show the changes')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', RESET)
    .action((keys: string[], { all = false, ...saved }: Saved & { all?: boolean }, command: Command) => {
      if (all === keys.length > 0) command.error("error: name the settings to reset, or use '--all'");
      const { dryRun = false, json = false } = saved;
      return onStore('settings reset', { keys, dryRun, json });
    });
  storeCommand(program, 'settings delete')
    .summary('delete a setting that Keyfold does not know')
    .description('Deletes a setting that Keyfold does not know.')
    .argument('<key>', 'setting to delete')
    .addHelpText('after', DELETE)
    .action((key: string) => onStore('settings delete', { key }));
  storeCommand(program, 'settings reset-token')
    .summary('replace the static token')
    .description('Replaces the static token.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', RESET_TOKEN)
    .action(({ json = false }: Shown) => onStore('settings reset-token', { json }));
}
