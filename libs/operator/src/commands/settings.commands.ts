import {
  argument,
  asked,
  flag,
  json,
  listArgument,
  local,
  onStore,
  option,
  optionalArgument,
  text,
  type Kind,
} from './command.js';

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

const SET = `
Saves the value for every gateway and thread at once, and shows it before and after. The rules are those of the API.

Without a value and --value-file, the command asks for it twice on a terminal, without showing it, or reads standard input. A trailing
newline does not count. Put -- before a value that begins with a dash. The value of a secret cannot be an argument, because other users
can see arguments.
${SECRETS}
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

const RESEAL = `
Reseals every password, two-factor secret and the static token with the first key of KEYFOLD_SEALING_KEY, so that the other keys can be
removed. First upgrade every process to this version and put the new key before the old ones. Nobody is logged out.

A running process on the embedded store uses its own keys. Otherwise the command uses KEYFOLD_SEALING_KEY, or on sqlite the file
sealing-key in the data folder. On mongodb set it to the same value as for the gateways.

Safe to repeat: the next run continues an interrupted one. The exit status is 1 if a secret cannot be opened. Afterwards run
"keyfold secrets status" and remove only keys that it does not list.`;

const STATUS = `
Shows for each sealing key how many passwords, two-factor secrets and static tokens still need it, and some of their streams. A key that
is not listed can be removed from KEYFOLD_SEALING_KEY. Reads every commit, needs no key and changes nothing. The exit status is 1 if a
stream cannot be read.`;

const reveal = flag('--reveal', 'show secrets');
const saved = (dryRun: string) => ({ dryRun: flag('--dry-run', dryRun), json: json('one JSON object per line') });
type Input = Readonly<{ key: string; value: string }>;
const inputs: Kind<readonly Input[]> = {
  is: (value): value is readonly Input[] =>
    Array.isArray(value) && value.every((each) => text.is(each?.key) && text.is(each.value)),
};

const showing = () => import('../settings/show-settings.js');
const saving = () => import('../settings/save-settings.js');
const sealing = () => import('../settings/sealing-keys.js');

/** The commands on the site settings and on the keys that seal secrets. */
export const settingsCommands = {
  'settings get': onStore({
    description: 'Shows settings.',
    help: GET,
    fields: {
      keys: listArgument('[key...]', 'settings to show (default: all)'),
      reveal,
      json: json('one JSON object per line'),
    },
    sealingTask: (args) => (args.reveal ? 'reveal secrets' : undefined),
    run: async (args, run) => (await showing()).showSettings(args, run),
  }),
  'settings diff': onStore({
    description: 'Shows which settings differ from the factory values.',
    help: DIFF,
    fields: { reveal, json: json('one JSON object per line') },
    sealingTask: () => 'compare settings',
    run: async (args, run) => (await showing()).compareSettings(args, run),
  }),
  'settings export': onStore({
    description: 'Writes settings to a file.',
    help: EXPORT,
    fields: {
      file: local(optionalArgument('[file]', 'new file (default: standard output)')),
      secrets: flag('--with-secrets', 'also export secrets'),
    },
    sealingTask: ({ secrets }) => (secrets ? 'export secrets' : undefined),
    run: async (args, run) => (await showing()).exportSettings(args, run),
  }),
  'settings set': onStore({
    description: 'Saves the value of a setting.',
    help: SET,
    fields: {
      key: argument('<key>', 'setting, for example site_title'),
      word: local(optionalArgument('[value]', 'new value, not for secrets')),
      valueFile: local(option('--value-file <file>', 'file that contains the value', text)),
      value: asked(text, 'always'),
      ...saved('only show the change'),
    },
    problem: ({ word, valueFile }) =>
      word !== undefined && valueFile !== undefined ? "use either a value or '--value-file'" : undefined,
    sealingTask: () => 'save settings',
    run: async (args, run) => (await saving()).setSetting(args, run),
  }),
  'settings import': onStore({
    description: 'Saves the settings of a file.',
    help: IMPORT,
    fields: {
      file: local(optionalArgument('[file]', 'file to read (default: standard input)')),
      settings: asked(inputs, 'always'),
      ...saved('only show the changes'),
    },
    sealingTask: () => 'save settings',
    run: async (args, run) => (await saving()).importSettings(args, run),
  }),
  'settings reset': onStore({
    description: 'Saves factory values.',
    help: RESET,
    fields: {
      keys: listArgument('[key...]', 'settings to reset'),
      all: local(flag('--all', 'reset every setting')),
      ...saved('only show the changes'),
    },
    problem: ({ keys, all }) => (all === keys.length > 0 ? "name the settings to reset, or use '--all'" : undefined),
    sealingTask: () => 'save settings',
    run: async (args, run) => (await saving()).resetSettings(args, run),
  }),
  'settings delete': onStore({
    description: 'Deletes a setting that Keyfold does not know.',
    help: DELETE,
    fields: { key: argument('<key>', 'setting to delete') },
    run: async (args, run) => (await saving()).deleteSetting(args, run),
  }),
  'settings reset-token': onStore({
    description: 'Replaces the static token.',
    help: RESET_TOKEN,
    fields: { json: json('one JSON object') },
    sealingTask: () => 'replace the static token',
    run: async (args, run) => (await saving()).resetStaticToken(args, run),
  }),
  'secrets reseal': onStore({
    description: 'Reseals all secrets with the first sealing key.',
    help: RESEAL,
    fields: {},
    sealingTask: () => 'reseal secrets',
    run: async (args, run) => (await sealing()).resealAllSecrets(args, run),
  }),
  'secrets status': onStore({
    description: 'Shows which sealing keys are in use, and by which secrets.',
    help: STATUS,
    fields: { json: json('one JSON object') },
    run: async (args, run) => (await sealing()).showSealingKeys(args, run),
  }),
};
