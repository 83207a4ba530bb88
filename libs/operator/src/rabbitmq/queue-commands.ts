import { ParkedCommands, type ParkedCommand, type ParkedSelection } from '@keyfold/messaging/rabbitmq';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import type { BrokerRun, OperatorOutput } from '../command-run.js';
import { fieldsOf } from '../output/table.js';
import { withOperatorConnection } from './with-operator-connection.js';

/** Shows the parked commands, or those of a type. */
export const listParked = ({ json, ...selection }: ParkedSelection & Readonly<{ json: boolean }>, run: BrokerRun) =>
  onParked(run, async (parked, output) => {
    const commands = await parked.list(selection);
    if (json) await output.out(JSON.stringify(commands));
    else if (commands.length === 0) await output.out('No matching parked command.');
    else for (const line of linesOf(commands)) await output.out(line);
    return DONE;
  });

/** Shows the parked commands with an id. Fails if there is none. */
export const showParked = ({ id }: Readonly<{ id: string }>, run: BrokerRun) =>
  onParked(run, async (parked, output) => {
    const found = await parked.show(id);
    for (const command of found) await output.out(JSON.stringify(command, undefined, 2));
    return found.length > 0 ? DONE : reportNoMatch(output);
  });

/** Resends at most `limit` parked commands, or only names them. Fails if there is none. */
export const redriveParked = (
  { limit, dryRun, ...selection }: ParkedSelection & Readonly<{ limit: number; dryRun: boolean }>,
  run: BrokerRun,
) =>
  onParked(run, async (parked, output) => {
    if (!dryRun) return report(output, (done) => parked.redrive(selection, limit, done), 'resent');
    const selected = (await parked.list(selection)).slice(0, limit);
    return report(
      output,
      async (done) => {
        for (const command of selected) await done(command);
      },
      'would be resent',
    );
  });

/** Deletes the parked commands with an id. Fails if there is none. */
export const dropParked = ({ id, reason }: Readonly<{ id: string; reason: string }>, run: BrokerRun) =>
  onParked(run, (parked, output) => report(output, (done) => parked.drop({ id }, done), 'dropped', `: ${reason}`));

const onParked = (
  { settings, output }: BrokerRun,
  work: (parked: ParkedCommands, output: OperatorOutput) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withOperatorConnection(settings.KEYFOLD_RABBITMQ_URL, output, (connection) =>
    work(new ParkedCommands(connection), output),
  );

function* linesOf(commands: readonly ParkedCommand[]): Generator<string> {
  for (const { id, type, errorCode, attempts, firstFailedAt, bytes } of commands) {
    const failures = { error: errorCode, attempts: attempts ?? '-', 'first failed at': firstFailedAt ?? '-' };
    yield* fieldsOf(id, { type, ...failures, bytes });
  }
  yield `${commands.length} parked`;
}

/** Runs `work` and writes a line for each command as soon as it is done. */
async function report(
  output: OperatorOutput,
  work: (done: (command: ParkedCommand) => Promise<void>) => Promise<void>,
  outcome: string,
  suffix = '',
): Promise<ExitCode> {
  let count = 0;
  await work(async ({ id, type, errorCode }) => {
    count += 1;
    await output.out(`${outcome}: ${id} (${type}, ${errorCode})${suffix}`);
  });
  return count > 0 ? DONE : reportNoMatch(output);
}

async function reportNoMatch(output: OperatorOutput): Promise<ExitCode> {
  await output.err('no matching parked command');
  return FAILED;
}
