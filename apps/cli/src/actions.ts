import type { BrokerRequest, OperatorArgs, OperatorCommandName, ReplayFilterArgs } from '@keyfold/operator';

/** The actions of the commands. Each stores its exit status. */
export type Actions = Readonly<{
  /** Runs a command on the configured store. */
  onStore<Name extends OperatorCommandName>(command: Name, args: OperatorArgs<Name>): Promise<void>;
  /** Sets a password from a file, by default from the terminal or standard input. */
  setPassword(username: string, file: string | undefined): Promise<void>;
  /** Runs a command on RabbitMQ. */
  onBroker(request: BrokerRequest): Promise<void>;
  /** Sends past events to a queue; without a queue it only counts them. */
  replay(selection: ReplayFilterArgs, queue: string | undefined): Promise<void>;
}>;
