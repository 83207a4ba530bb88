import { ACTIVITY_TYPES, activityJson, type ActivityDetails, type ShownActivity } from '@keyfold/application';
import { DONE, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { fieldsOf } from '../output/fields.js';
import { quoted } from '../output/printable.js';
import { accountIdOf, type NamedAccount } from './named-or-numbered-account.js';
import type { CommandRun } from './operator-ports.js';

/** Which activity to show. Times are in unix milliseconds; `from` is included, `until` is not. */
export type HistoryArgs = NamedAccount &
  Readonly<{
    types?: readonly string[] | undefined;
    from?: number | undefined;
    until?: number | undefined;
    json: boolean;
  }>;

/** Shows what was done to an account, the newest first. */
export async function showHistory(args: HistoryArgs, run: CommandRun): Promise<ExitCode> {
  const { types, from, until, json } = args;
  const { ports, output, signal } = run;
  const unknown = types?.find((type) => !ACTIVITY_TYPES.includes(type));
  if (unknown !== undefined) {
    await output.err(`unknown type ${quoted(unknown)}. The types are ${ACTIVITY_TYPES.join(', ')}`);
    return WRONG_USAGE;
  }
  const account = await accountIdOf(args, run);
  if ('exitCode' in account) return account.exitCode;
  for await (const activities of ports.activity.all('administrator', { ...account, types, from, until })) {
    for (const activity of activities) {
      signal.throwIfAborted();
      const lines = json ? [JSON.stringify(activityJson(activity))] : linesOf(activity);
      for (const line of lines) await output.out(line);
    }
  }
  return DONE;
}

function linesOf({ place, type, actor, ...activity }: ShownActivity): Generator<string> {
  const { actorName, sessionId, address, client, details, correlation } = activity;
  const by = [actor.kind, actor.accountId, actor.tokenId].filter((part) => part !== undefined).join(':');
  const given = Object.entries(details).map(([name, value]) => [name.replaceAll('_', ' '), textOf(value)]);
  return fieldsOf(`${new Date(place.at).toISOString()}  ${type}`, {
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
