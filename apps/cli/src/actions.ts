import type { BrokerRequest, OperatorArgs, OperatorCommandName, ReplaySelection } from '@keyfold/operator';

/** What the commands lead to; each remembers the exit status. */
export type Actions = Readonly<{
  /** Has a command carried out on the store of the settings. */
  onStore<Name extends OperatorCommandName>(command: Name, args: OperatorArgs<Name>): Promise<void>;
  /** Sets the password that is in the file, else on the standard input. */
  setPassword(username: string, file: string | undefined): Promise<void>;
  /** Carries out what concerns RabbitMQ alone. */
  onBroker(request: BrokerRequest): Promise<void>;
  /** Sends events of the store to a queue; without one it only counts them. */
  replay(selection: ReplaySelection, queue: string | undefined): Promise<void>;
}>;
