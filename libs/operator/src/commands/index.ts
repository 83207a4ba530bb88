import { accountCommands } from './account.commands.js';
import { backupCommands, directCommands } from './backup.commands.js';
import { brokerCommands } from './broker.commands.js';
import {
  readSent,
  type BrokerCommand,
  type DirectCommand,
  type Given,
  type Sent,
  type StoreCommand,
} from './command.js';
import { exportCommands } from './export.commands.js';
import { importCommands } from './import.commands.js';
import { feedCommands } from './feed.commands.js';
import { openlistCommands } from './openlist.commands.js';
import { settingsCommands } from './settings.commands.js';
import { storeCommands } from './store.commands.js';

export { brokerCommands, directCommands, readSent };
export type { BrokerCommand, Field, Fields, Given, Kind, StoreCommand } from './command.js';

/** The commands on a store, by their words on the command line, which are also their names in requests. The help has the same order. */
export const operatorCommands = {
  ...storeCommands,
  ...backupCommands,
  ...accountCommands,
  ...importCommands,
  ...exportCommands,
  ...openlistCommands,
  ...settingsCommands,
  ...feedCommands,
};

/** Every command by its words. */
export const allCommands: Readonly<Record<string, StoreCommand | DirectCommand | BrokerCommand>> = {
  ...storeCommands,
  ...backupCommands,
  ...directCommands,
  ...operatorCommands,
  ...brokerCommands,
};

/** The first words of commands that have two, in the help. */
export const commandGroups: Readonly<Record<string, string>> = {
  events: 'Shows stored events.',
  store: 'Copies the store.',
  account: 'Shows and changes accounts, and recovers from lost passwords.',
  import: 'Imports accounts of another service.',
  export: 'Exports accounts to another service.',
  openlist: 'Manages the mirrors of the accounts in OpenList.',
  settings: 'Shows and changes the site settings.',
  secrets: 'Rotates sealing keys.',
  projections: 'Manages the read models.',
  feed: 'Shows and replays published events.',
  topology: 'Manages the exchanges, queues, bindings and policies in RabbitMQ.',
  queue: 'Manages parked commands of other services.',
};

type OperatorCommands = typeof operatorCommands;
export type OperatorCommandName = keyof OperatorCommands;
type FieldsOf<Name extends OperatorCommandName> = OperatorCommands[Name] extends StoreCommand<infer All> ? All : never;

/** The values of a request, and those of a command line. */
export type OperatorArgs<Name extends OperatorCommandName> = Sent<FieldsOf<Name>>;
export type GivenArgs<Name extends OperatorCommandName> = Given<FieldsOf<Name>>;

type DirectCommands = typeof directCommands;
export type DirectCommandName = keyof DirectCommands;
export type GivenDirectly<Name extends DirectCommandName> =
  DirectCommands[Name] extends DirectCommand<infer All> ? Given<All> : never;

/** An operator command with its values. */
export type OperatorRequest<Name extends OperatorCommandName = OperatorCommandName> = {
  [Each in Name]: Readonly<{ command: Each; args: OperatorArgs<Each> }>;
}[Name];

/** Returns the command on a store with this name. */
export const operatorCommand = (name: string): StoreCommand | undefined =>
  Object.hasOwn(operatorCommands, name) ? operatorCommands[name as OperatorCommandName] : undefined;
