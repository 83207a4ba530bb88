import { ACTIVITY_TYPES, activityJson, type ShownActivity } from '@keyfold/application';
import { DONE, WRONG_USAGE, type ExitCode } from '@keyfold/process';
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
    await output.err(`unknown type ${JSON.stringify(unknown)}. The types are ${ACTIVITY_TYPES.join(', ')}`);
    return WRONG_USAGE;
  }
  const account = await accountIdOf(args, run);
  if ('exitCode' in account) return account.exitCode;
  for await (const activities of ports.activity.all('administrator', { ...account, types, from, until })) {
    for (const activity of activities) {
      signal.throwIfAborted();
      await output.out(json ? JSON.stringify(activityJson(activity)) : lineOf(activity));
    }
  }
  return DONE;
}

function lineOf(activity: ShownActivity): string {
  const { type, actor, actorName, sessionId, address, client, details, correlation } = activity;
  const texts = [
    new Date(activity.place.at).toISOString(),
    type,
    `by ${[actor.kind, actor.accountId, actor.tokenId].filter((part) => part !== undefined).join(':')}`,
    ...(actorName === '' ? [] : [JSON.stringify(actorName)]),
    ...(address === '' ? [] : [`from ${address}`]),
    ...(client === '' ? [] : [JSON.stringify(client)]),
    ...(sessionId === undefined ? [] : [`session ${JSON.stringify(sessionId).slice(1, -1)}`]),
    `request ${JSON.stringify(correlation).slice(1, -1)}`,
    ...(Object.keys(details).length === 0 ? [] : [JSON.stringify(details)]),
  ];
  return texts.join('  ');
}
