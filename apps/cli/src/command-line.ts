import { Command, CommanderError } from 'commander';

const OVERVIEW = `
The commands work on the store that the settings name: KEYFOLD_STORE is sqlite or mongodb. Without it they take mongodb when
KEYFOLD_MONGODB_URI is set (the standalone process refuses to start then), else sqlite in KEYFOLD_DATA_DIR (./data). Each setting may
also come from the file that <setting>_FILE names.

All of them are safe beside running processes. The embedded store (sqlite) belongs to one process: while that runs, it carries the
command out itself and is asked over a socket in the data folder; when none runs, the command takes the folder for as long as it
needs, and a service that is started meanwhile is refused.

Exit status: 0 all is well, 1 a problem was found or the command failed, 2 wrong usage, 78 wrong settings, 130 interrupted.`;

const VERIFY = `
Reads every commit and folds every stream from nothing, in bounded memory, and looks whether
- the feeds have no gap and the streams no missing version, and command ids and holds are unique,
- every document is what its stream leads to, none is missing and none is there without a stream,
- the lists have every entry, at its place.
Each problem is one line on standard output. Changes nothing.

Beside running processes a document may be older than its stream for a moment. That is a problem only when the projector has passed
the commit that is missing, or does not come to it within 10 seconds. Where no process projects, what is missing is told and is no
problem.`;

const STATUS = `
For each slot of the feed: its last position (head), how far the projector has come (checkpoint), how many commits are left (lag) and
which process works on it (host:process id:...). A parked stream could not be folded; the exit status is 1 when there is one.
Changes nothing.`;

const REBUILD = `
Folds every stream from nothing and writes its document anew, of one read model or of all (accounts, sessions, ssh_key_rings,
ssh_key_uses, site_settings). Documents without a stream are removed. Writers and the projector may go on: a document that became
newer meanwhile is left alone, and answers by id stay right.

Processes that run may still hold a wrong state in memory: restart them when documents were wrong, then run "keyfold verify".`;

const RETRY = `
A stream is parked when it cannot be folded, for example because it has an event that only a newer version knows. The projector tries
it again every 30 seconds by itself. The exit status is 1 when one stays parked.`;

const MIGRATE = `
To be run before the processes of this version start:
- on mongodb it makes the collections and indexes that are missing;
- on both stores it fills the read models of this version from the feed, until they have everything that is there now.
It adds and never changes or removes, so the processes of the version before can go on: run it with --follow until the new ones have
started. Repeating it does no harm. On sqlite a start does the same by itself.`;

const SHOW = `
The commits of one stream, the oldest first: account-<id>, ssh-keys-<account id>, ssh-key-use-<account id>, session-<session id>,
site-settings. Secrets are shown as sealed; they are never opened. Session events show addresses of clients. Changes nothing.`;

/** Runs a command line without the program's name; answers the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  /** Everything that a command needs is loaded only now, so that help is there at once. */
  const ask = async (command: string, parameters: Record<string, unknown> = {}) => {
    const { operate } = await import('./operate.js');
    status = await operate({ command, args: parameters });
  };
  try {
    await commandLine(ask).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // It has said what was wrong, or the help that was asked for.
    if (error.exitCode === 0) return status;
    const { WRONG_USAGE } = await import('./operate.js');
    return WRONG_USAGE;
  }
  return status;
}

type Ask = (command: string, parameters?: Record<string, unknown>) => Promise<void>;

function commandLine(ask: Ask): Command {
  const program = new Command('keyfold')
    .description('Looks after the store of the account service Keyfold.')
    .addHelpText('after', OVERVIEW)
    .showHelpAfterError('(--help after a command tells about it)')
    .exitOverride();
  program
    .command('verify')
    .summary('look whether events, read models and lists agree')
    .description('Looks whether events, read models and lists agree.')
    .addHelpText('after', VERIFY)
    .action(() => ask('verify'));
  program
    .command('migrate')
    .summary('prepare the database for this version')
    .description('Prepares the database for this version of Keyfold.')
    .option('--follow', 'then keep the read models up to date until interrupted')
    .addHelpText('after', MIGRATE)
    .action(({ follow = false }: { follow?: boolean }) => ask('migrate', { follow }));
  const events = program.command('events').summary('look at what happened').description('Looks at what happened.');
  events
    .command('show')
    .summary('show the commits of a stream')
    .description('Shows the commits of a stream.')
    .argument('<stream>', 'for example account-1')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', SHOW)
    .action((stream: string, { json = false }: { json?: boolean }) => ask('events show', { stream, json }));
  addProjections(program, ask);
  return program;
}

function addProjections(program: Command, ask: Ask): void {
  const projections = program
    .command('projections')
    .summary('look after the read models')
    .description('Looks after the read models.');
  projections
    .command('status')
    .summary('show how far the projector has come and what is parked')
    .description('Shows how far the projector has come and which streams are parked.')
    .option('--json', 'one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => ask('projections status', { json }));
  projections
    .command('rebuild')
    .summary('make the documents of the read models anew')
    .description('Makes the documents of the read models anew.')
    .argument('[model]', 'one read model; all without it')
    .addHelpText('after', REBUILD)
    .action((model?: string) => ask('projections rebuild', { model }));
  projections
    .command('retry-parked')
    .summary('try parked streams again')
    .description('Tries parked streams again.')
    .addHelpText('after', RETRY)
    .action(() => ask('projections retry-parked'));
}
