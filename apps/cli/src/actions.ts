import type { NewAccount } from './execute-account-command.js';
import type { ImportSettings, SetSetting } from './execute-settings-command.js';
import type { BrokerRequest, OperatorArgs, OperatorCommandName, ReplayFilterArgs } from '@keyfold/operator';

/** The actions of the commands. Each stores its exit status. */
export type Actions = Readonly<{
  /** Runs a command on the configured store. */
  onStore<Name extends OperatorCommandName>(command: Name, args: OperatorArgs<Name>): Promise<void>;
  /** Sets a password from a file, by default from the terminal or standard input. */
  setPassword(username: string, file: string | undefined): Promise<void>;
  /** Creates an account with a password from a file, by default from the terminal or standard input. */
  createAccount(account: NewAccount, file: string | undefined): Promise<void>;
  /** Deletes an account, after a question on the terminal unless it is confirmed. */
  deleteAccount(username: string, isConfirmed: boolean): Promise<void>;
  /** Sets a setting. Without a value it comes from a file, by default from the terminal or standard input. */
  setSetting(args: SetSetting, file: string | undefined): Promise<void>;
  /** Imports settings from a file, by default from standard input. */
  importSettings(args: ImportSettings, file: string | undefined): Promise<void>;
  /** Exports settings to a new file, by default to standard output. */
  exportSettings(args: OperatorArgs<'settings export'>, file: string | undefined): Promise<void>;
  /** Runs a command on RabbitMQ. */
  onBroker(request: BrokerRequest): Promise<void>;
  /** Sends past events to a queue; without a queue it only counts them. */
  replay(selection: ReplayFilterArgs, queue: string | undefined): Promise<void>;
}>;
