import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const SET_PASSWORD = `
Use it if a password is lost, even that of the only administrator. It has the same effect as a password change by an administrator: all
sessions of the account end, the change is in its history (actor "operator"), and an event is published. Two-factor is not changed.

On a terminal the command asks for the password twice, without showing it. Otherwise it reads the first line of standard input, or the
file of --password-file without its trailing newline. The password cannot be an argument, because other users can see arguments.

The password is sealed with the key of the service. A running process on the embedded store uses its own key. Otherwise the command uses
KEYFOLD_SEALING_KEY, or on sqlite the file sealing-key in the data folder. On mongodb set it to the same value as for the gateways. A
different key is refused.

A throttled account stays blocked for up to 15 minutes, even with the new password.`;

const DISABLE_TWO_FACTOR = `
Use it if a second factor is lost, or locked after 100 wrong codes. It has the same effect as turning two-factor off as an administrator:
logins require no code until the account enables two-factor again. Password and sessions are not changed. The change is in the history of
the account (actor "operator"), and an event is published. If two-factor is already off, nothing happens.`;

/** Adds `account`. */
export function addAccountCommands(program: Command, { onStore, setPassword }: Actions): void {
  storeCommandGroup(program, 'account')
    .summary('recover from a lost password or second factor, and revoke access tokens')
    .description('Recovers from a lost password or second factor, and revokes access tokens.');
  storeCommand(program, 'account set-password')
    .summary('set the password of an account')
    .description('Sets the password of an account.')
    .argument('<username>', 'exact user name, for example admin')
    .option('--password-file <file>', 'file that contains the password')
    // The default errors would print the password.
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', SET_PASSWORD)
    .action((username: string, { passwordFile }: { passwordFile?: string }, command: Command) => {
      if (command.args.length > 1)
        command.error(
          'error: the password cannot be an argument. Type it at the prompt, pipe it in or use --password-file',
        );
      return setPassword(username, passwordFile);
    });
  storeCommand(program, 'account disable-two-factor')
    .summary('turn two-factor off and lift its lock')
    .description('Turns two-factor off for an account and lifts its lock.')
    .argument('<username>', 'exact user name')
    .addHelpText('after', DISABLE_TWO_FACTOR)
    .action((username: string) => onStore('account disable-two-factor', { username }));
}
