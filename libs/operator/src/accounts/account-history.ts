import {
  ACTIVITY_TYPES,
  activityJson,
  isoTime,
  type ActivityDetails,
  type ActivitySelection,
  type ShownActivity,
} from '@keyfold/application';
import { DONE, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { fieldsOf } from '../output/table.js';
import { quoted } from '../output/printable.js';
import { onAccountId, type AccountChoice } from './named-account.js';
import type { CommandRun } from '../command-run.js';

/** Which activity to show. Times are in unix milliseconds; `from` is included, `until` is not. */
export type HistoryArgs = AccountChoice &
  Readonly<{
    types?: readonly string[] | undefined;
    from?: number | undefined;
    until?: number | undefined;
    json: boolean;
  }>;

/** Shows what was done to an account, the newest first. */
export async function showHistory({ json, ...args }: HistoryArgs, run: CommandRun): Promise<ExitCode> {
  const { types, from, until, ...choice } = args;
  const unknown = types?.find((type) => !ACTIVITY_TYPES.includes(type));
  if (unknown !== undefined) {
    await run.output.err(`unknown type ${quoted(unknown)}. The types are ${ACTIVITY_TYPES.join(', ')}`);
    return WRONG_USAGE;
  }
  return onAccountId(choice, run, (accountId) => show({ accountId, types, from, until }, json, run));
}

async function show(selection: ActivitySelection, json: boolean, run: CommandRun): Promise<ExitCode> {
  const { ports, output, signal } = run;
  for await (const activities of ports.activity.all('administrator', selection)) {
    for (const activity of activities) {
      signal.throwIfAborted();
      const lines = json ? [JSON.stringify(activityJson(activity))] : linesOf(activity);
      for (const line of lines) await output.out(line);
    }
  }
  return DONE;
}

function linesOf({ cursor, type, actor, ...activity }: ShownActivity): Generator<string> {
  const { actorName, sessionId, address, client, details, correlation } = activity;
  const by = [actor.kind, actor.accountId, actor.tokenId].filter((part) => part !== undefined).join(':');
  const given = Object.entries(details).map(([name, value]) => [name.replaceAll('_', ' '), textOf(value)]);
  return fieldsOf(`${isoTime(cursor.at)}  ${type}`, {
    by: actorName === '' ? by : `${by} ${quoted(actorName)}`,
    ...(address !== '' && { from: address }),
    ...(client !== '' && { with: client }),
    ...(sessionId !== undefined && { session: sessionId }),
    request: correlation,
    ...(Object.fromEntries(given) as Record<string, string>),
  });
}

const textOf = (value: ActivityDetails[string]) =>
  Array.isArray(value) ? value.join(', ') : value === null ? 'none' : String(value);
