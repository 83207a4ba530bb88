import { ParkedCommands, type ParkedCommand, type ParkedSelection } from '@keyfold/messaging/rabbitmq';
import type { OperatorOutput } from '../output/operator-output.js';
import { fieldsOf } from '../output/fields.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { withOperatorConnection } from './with-operator-connection.js';

/** An operator command on the parked commands. */
export type QueueRequest = Readonly<
  | { command: 'list'; type?: string | undefined; json: boolean }
  | { command: 'show'; id: string }
  | { command: 'redrive'; id?: string | undefined; type?: string | undefined; limit: number; dryRun: boolean }
  | { command: 'drop'; id: string; reason: string }
>;

/** Lists, shows, redrives or drops parked commands. Fails if none matches, except for `list`. */
export function runQueueCommand(url: string, request: QueueRequest, output: OperatorOutput): Promise<ExitCode> {
  return withOperatorConnection(url, output, async (connection) => {
    const parked = new ParkedCommands(connection);
    switch (request.command) {
      case 'list':
        return list(await parked.list(selectionOf(request)), request.json, output);
      case 'show':
        return show(parked, request.id, output);
      case 'redrive':
        return redrive(parked, request, output);
      case 'drop':
        return report(output, (done) => parked.drop({ id: request.id }, done), 'dropped', `: ${request.reason}`);
    }
  });
}

async function list(commands: readonly ParkedCommand[], json: boolean, output: OperatorOutput): Promise<ExitCode> {
  if (json) await output.out(JSON.stringify(commands));
  else if (commands.length === 0) await output.out('No matching parked command.');
  else for (const line of linesOf(commands)) await output.out(line);
  return DONE;
}

function* linesOf(commands: readonly ParkedCommand[]): Generator<string> {
  for (const { id, type, errorCode, attempts, firstFailedAt, bytes } of commands) {
    const failures = { error: errorCode, attempts: attempts ?? '-', 'first failed at': firstFailedAt ?? '-' };
    yield* fieldsOf(id, { type, ...failures, bytes });
  }
  yield `${commands.length} parked`;
}

async function show(parked: ParkedCommands, id: string, output: OperatorOutput): Promise<ExitCode> {
  const found = await parked.show(id);
  for (const command of found) await output.out(JSON.stringify(command, undefined, 2));
  return found.length > 0 ? DONE : reportNoMatch(output);
}

async function redrive(
  parked: ParkedCommands,
  { id, type, limit, dryRun }: Extract<QueueRequest, { command: 'redrive' }>,
  output: OperatorOutput,
): Promise<ExitCode> {
  const selection = selectionOf({ id, type });
  if (!dryRun) return report(output, (done) => parked.redrive(selection, limit, done), 'resent');
  const selected = (await parked.list(selection)).slice(0, limit);
  return report(
    output,
    async (done) => {
      for (const command of selected) await done(command);
    },
    'would be resent',
  );
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

const selectionOf = ({
  id,
  type,
}: Readonly<{ id?: string | undefined; type?: string | undefined }>): ParkedSelection => ({
  ...(id !== undefined && { id }),
  ...(type !== undefined && { type }),
});
