import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const SET_PASSWORD = `
For a password that is lost, that of the only administrator too. Does what an administrator does over the API: all sessions of the
account end, the change is in its history (actor "operator") and subscribers are told. Two-factor stays as it is.

The password is typed twice and not shown, or is the first line of the standard input when that is no terminal, or the content of the
file, whose last line break is cut off. It is never an argument, because others can see those.

It is sealed with the key of the service. A process that runs on the embedded store uses its own; else KEYFOLD_SEALING_KEY, and where
that is not set the file sealing-key in the data folder. On mongodb set KEYFOLD_SEALING_KEY as for the gateways. Another key is
refused.

A name under which too many logins failed stays refused for its minutes, 15 at most, also with the new password.`;

const DISABLE_TWO_FACTOR = `
For a second factor that is lost, or locked after 100 wrong codes. Does what an administrator does over the API: logins ask for no code
until the account turns two-factor on again. Password and sessions stay, the change is in the history of the account (actor "operator")
and subscribers are told. Where it is off nothing happens.`;

/** `account`. */
export function addAccountCommands(program: Command, { onStore, setPassword }: Actions): void {
  storeCommandGroup(program, 'account')
    .summary('let somebody in who lost a password or a second factor')
    .description('Lets somebody in who lost a password or a second factor.');
  storeCommand(program, 'account set-password')
    .summary('give an account a new password')
    .description('Gives an account a new password.')
    .argument('<username>', 'exactly as the account has it, for example admin')
    .option('--password-file <file>', 'the file that holds the password')
    // The usual errors would repeat a password.
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', SET_PASSWORD)
    .action((username: string, { passwordFile }: { passwordFile?: string }, command: Command) => {
      if (command.args.length > 1)
        command.error('error: the password is no argument: it is typed, piped in, or in the file of --password-file');
      return setPassword(username, passwordFile);
    });
  storeCommand(program, 'account disable-two-factor')
    .summary('turn two-factor off and lift its lock')
    .description('Turns two-factor of an account off and lifts its lock.')
    .argument('<username>', 'exactly as the account has it')
    .addHelpText('after', DISABLE_TWO_FACTOR)
    .action((username: string) => onStore('account disable-two-factor', { username }));
}
