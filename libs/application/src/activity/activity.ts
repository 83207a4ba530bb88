import {
  isKnown,
  sessionAggregate,
  storedUpcasters,
  UnknownEvent,
  upcast,
  type CurrentEvent,
  type SessionStarted,
  type StoredEvent,
} from '@keyfold/domain';
import type { HistoryCursor, HistoryEntry } from '@keyfold/event-store';
import { activityTypes, UNKNOWN_ACTIVITY, type ActivityDetails } from './activity-types.js';

/** How the maker of a change was identified. `login`: by the password and the code of a login. */
export const ACTOR_KINDS = [
  'session',
  'guest',
  'static-token',
  'access-token',
  'login',
  'operator',
  'message',
  'import',
  'expiry',
  'first-start',
] as const;

/** The maker of a change. `tokenId` identifies an access token of the account. */
export type ActivityActor = Readonly<{ kind: string; accountId?: number; tokenId?: number }>;

/** The cursor of an activity: that of its commit, and its index among the events of the commit. */
export type ActivityCursor = HistoryCursor & Readonly<{ index: number }>;

/** One event as people see it. */
export type Activity = Readonly<{
  cursor: ActivityCursor;
  /** `<stream>:<version>:<index>`, the same as the id of the public event. */
  id: string;
  type: string;
  /** The account that the change is about; undefined for the settings of the site. */
  accountId: number | undefined;
  actor: ActivityActor;
  /** The session of the request; for a login the one that it started. */
  sessionId: string | undefined;
  correlation: string;
  details: ActivityDetails;
}>;

/** Which activities of a commit to return: of these types, by this account or kind of actor. */
export type ActivityFilter = Readonly<{
  types?: readonly string[] | undefined;
  actor?: number | string | undefined;
}>;

/** Returns the activities of a commit, the last event first. Events that people need not see are left out. */
export function activitiesOf({ cursor, commit }: HistoryEntry, { types, actor: by }: ActivityFilter = {}): Activity[] {
  const { stream, version, partition, session, correlation, events } = commit;
  const actor = parseActor(commit.actor);
  if (by !== undefined && by !== (typeof by === 'number' ? actor.accountId : actor.kind)) return [];
  const id = Number(partition);
  const about = { accountId: Number.isSafeInteger(id) ? id : undefined, actor, correlation };
  const activities = events.flatMap((stored, index): Activity[] => {
    const shown = shownOf(stored, types);
    if (!shown) return [];
    const ended: ActivityDetails = shown.type === 'session.ended' ? { session_id: sessionOf(stream) } : {};
    return [
      {
        ...about,
        cursor: { ...cursor, index },
        id: `${stream}:${version}:${index}`,
        type: shown.type,
        sessionId: session ?? (shown.type === 'session.started' ? sessionOf(stream) : undefined),
        details: { ...ended, ...shown.details },
      },
    ];
  });
  return activities.reverse();
}

/** Returns the session that a commit started; undefined if it started none, or one that only a newer version can describe. */
export function startedSession({ stream, partition, events }: HistoryEntry['commit']): StartedSession | undefined {
  const started = events.find((event) => event.type === 'SessionStarted' && isKnown(storedUpcasters, event));
  if (!started) return undefined;
  const { address, client } = upcast(storedUpcasters, started).data as SessionStarted['data'];
  return { sessionId: sessionOf(stream), accountId: Number(partition), address, client };
}

/** The owner of a session, and the address and user agent that started it. */
export type StartedSession = Readonly<{ sessionId: string; accountId: number; address: string; client: string }>;

function shownOf(
  stored: StoredEvent,
  types: readonly string[] | undefined,
): { type: string; details: ActivityDetails } | undefined {
  const isWanted = (type: string) => types === undefined || types.includes(type);
  try {
    const event = upcast(storedUpcasters, stored) as CurrentEvent;
    const row = activityTypes[event.type];
    return row && isWanted(row.type)
      ? { type: row.type, details: row.details?.(event.data as never) ?? {} }
      : undefined;
  } catch (error) {
    // During an upgrade, older gateways still show the rest of the history.
    if (error instanceof UnknownEvent)
      return isWanted(UNKNOWN_ACTIVITY) ? { type: UNKNOWN_ACTIVITY, details: {} } : undefined;
    throw error;
  }
}

/** Actors have the form `<kind>:<account>`, or `<kind>:<account>:<token>`, or are a single word if there is no account. */
function parseActor(actor: string): ActivityActor {
  const [kind = '', account, token] = actor.split(':');
  return {
    kind,
    ...(account !== undefined && { accountId: Number(account) }),
    ...(token !== undefined && { tokenId: Number(token) }),
  };
}

const sessionOf = (stream: string) => stream.slice(sessionAggregate.streamPrefix.length);
