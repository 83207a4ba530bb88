import type { OperatorCommandName } from '@keyfold/operator';
import type { Command } from 'commander';

type GroupOf<Name> = Name extends `${infer Group} ${string}` ? Group : never;

/** Adds a group of operator commands, such as `projections`. */
export const storeCommandGroup = (program: Command, group: GroupOf<OperatorCommandName>): Command =>
  program.command(group);

/** Adds an operator command by its words on the command line. Its group must exist. */
export function storeCommand(program: Command, name: OperatorCommandName): Command {
  const [word = '', group] = name.split(' ').toReversed();
  const parent = group === undefined ? program : program.commands.find((each) => each.name() === group);
  if (!parent) throw new Error(`the group of "${name}" is missing`);
  return parent.command(word);
}
