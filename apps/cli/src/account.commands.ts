import { InvalidArgumentError, type Command } from 'commander';
import * as help from './account.help.js';
import type { Actions } from './actions.js';
import { keyIdArgument } from './arguments.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

type Json = Readonly<{ json?: boolean }>;
type NewOptions = Json &
  Readonly<{ passwordFile?: string; basePath?: string; permission?: number; disabled?: boolean; ssoId?: string }>;
type ChangeOptions = Json &
  Readonly<{ username?: string; basePath?: string; permission?: number; ssoId?: string; allowLdap?: boolean }>;
type SessionOptions = Json & Readonly<{ evict?: string; evictAll?: boolean }>;

/** Adds `account`. */
export function addAccountCommands(program: Command, actions: Actions): void {
  storeCommandGroup(program, 'account')
    .summary('show and change accounts, and recover from lost passwords')
    .description('Shows and changes accounts, and recovers from lost passwords.');
  addShowingCommands(program, actions);
  addChangingCommands(program, actions);
  addRecoveringCommands(program, actions);
  addSessionsAndKeys(program, actions);
}

function addShowingCommands(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'account list')
    .summary('list all accounts')
    .description('Lists all accounts.')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', help.LIST)
    .action(({ json = false }: Json) => onStore('account list', { json }));
}

function addChangingCommands(program: Command, { onStore, createAccount, deleteAccount }: Actions): void {
  withPassword(storeCommand(program, 'account create'))
    .summary('create an account')
    .description('Creates an account.')
    .option('--base-path <path>', 'folder that the account sees as its root (default: /)')
    .option('--permission <number>', 'permissions as a bit set (default: 0)', permission)
    .option('--sso-id <id>', 'id of the account at the provider of single sign-on')
    .option('--disabled', 'refuse its logins until it is enabled')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help.CREATE)
    .action((username: string, options: NewOptions, command: Command) => {
      requireOneArgument(command);
      const {
        passwordFile,
        basePath = '/',
        permission: bits = 0,
        disabled = false,
        ssoId = '',
        json = false,
      } = options;
      return createAccount({ username, basePath, permission: bits, disabled, ssoId, json }, passwordFile);
    });
  storeCommand(program, 'account update')
    .summary('change some fields of an account')
    .description('Changes some fields of an account.')
    .argument('<username>', 'exact user name')
    .option('--username <name>', 'new user name')
    .option('--base-path <path>', 'new base path')
    .option('--permission <number>', 'new permissions as a bit set', permission)
    .option('--sso-id <id>', 'new SSO id')
    .option('--allow-ldap', 'allow LDAP logins, which Keyfold does not offer itself')
    .option('--no-allow-ldap', 'do not allow LDAP logins')
    .option('--json', 'print the changed account as one JSON object')
    .addHelpText('after', help.UPDATE)
    .action((username: string, { json = false, ...changes }: ChangeOptions, command: Command) => {
      if (Object.keys(changes).length === 0) command.error('error: name a field to change');
      return onStore('account update', { username, changes, json });
    });
  storeCommand(program, 'account disable')
    .summary('refuse the logins and requests of an account')
    .description('Refuses the logins and requests of an account.')
    .argument('<username>', 'exact user name')
    .addHelpText('after', help.DISABLE)
    .action((username: string) => onStore('account disable', { username }));
  storeCommand(program, 'account enable')
    .summary('enable a disabled account')
    .description('Enables a disabled account.')
    .argument('<username>', 'exact user name')
    .addHelpText('after', help.ENABLE)
    .action((username: string) => onStore('account enable', { username }));
  storeCommand(program, 'account delete')
    .summary('delete an account')
    .description('Deletes an account with its keys and sessions.')
    .argument('<username>', 'exact user name')
    .option('--yes', 'delete without a question')
    .addHelpText('after', help.DELETE)
    .action((username: string, { yes = false }: { yes?: boolean }) => deleteAccount(username, yes));
}

function addRecoveringCommands(program: Command, { onStore, setPassword }: Actions): void {
  withPassword(storeCommand(program, 'account set-password'))
    .summary('set the password of an account')
    .description('Sets the password of an account.')
    .addHelpText('after', help.SET_PASSWORD)
    .action((username: string, { passwordFile }: { passwordFile?: string }, command: Command) => {
      requireOneArgument(command);
      return setPassword(username, passwordFile);
    });
  storeCommand(program, 'account disable-two-factor')
    .summary('turn two-factor off and lift its lock')
    .description('Turns two-factor off for an account and lifts its lock.')
    .argument('<username>', 'exact user name')
    .addHelpText('after', help.DISABLE_TWO_FACTOR)
    .action((username: string) => onStore('account disable-two-factor', { username }));
  storeCommand(program, 'account unlock')
    .summary('lift the lock and the blocks of an account')
    .description('Lifts the lock and the blocks of an account.')
    .argument('<username>', 'exact user name')
    .addHelpText('after', help.UNLOCK)
    .action((username: string) => onStore('account unlock', { username }));
}

function addSessionsAndKeys(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'account sessions')
    .summary('show or evict the sessions of an account')
    .description('Shows or evicts the sessions of an account.')
    .argument('<username>', 'exact user name')
    .option('--evict <id>', 'evict the session with this id')
    .option('--evict-all', 'evict every session of the account')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', help.SESSIONS)
    .action((username: string, { evict, evictAll = false, json = false }: SessionOptions, command: Command) => {
      if (evict !== undefined && evictAll) command.error("error: use either '--evict' or '--evict-all'");
      return onStore('account sessions', { username, evict, evictAll, json });
    });
  storeCommand(program, 'account keys')
    .summary('show or remove the SSH keys of an account')
    .description('Shows or removes the SSH keys of an account.')
    .argument('<username>', 'exact user name')
    .option('--remove <id>', 'remove the key with this id', keyIdArgument)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', help.KEYS)
    .action((username: string, { remove, json = false }: Json & Readonly<{ remove?: number }>) =>
      onStore('account keys', { username, remove, json }),
    );
}

/** Prepares a command with a password. */
const withPassword = (command: Command): Command =>
  command
    .argument('<username>', 'exact user name, for example admin')
    .option('--password-file <file>', 'file that contains the password')
    // The default errors would print the password.
    .allowExcessArguments()
    .allowUnknownOption();

function requireOneArgument(command: Command): void {
  if (command.args.length > 1)
    command.error(
      'error: the password cannot be an argument. Type it at the prompt, pipe it in or use --password-file',
    );
}

function permission(text: string): number {
  const bits = Number(text);
  if (text.trim() === '' || !Number.isInteger(bits) || bits < -(2 ** 31) || bits >= 2 ** 31)
    throw new InvalidArgumentError('Expected an integer of 32 bits, for example 256 or 0x100.');
  return bits;
}
