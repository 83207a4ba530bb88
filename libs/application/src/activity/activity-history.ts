import { Injectable } from '@nestjs/common';
import { bytesOf, type Account } from '@keyfold/domain';
import { CommitHistory, EventStore, cursorAt, type HistoryRange, type HistoryEntry } from '@keyfold/event-store';
import { accountStream, PAGE_BYTES, ReadModelStore, sessionStream, type Loaded } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { setImmediate as otherWork } from 'node:timers/promises';
import { isoTime } from '../commands/clock.js';
import {
  activitiesOf,
  startedSession,
  type Activity,
  type ActivityFilter,
  type ActivityCursor,
  type StartedSession,
} from './activity.js';

/**
 * Which activities to show: about one account or all, of these types, by this actor. Times are in unix milliseconds; `from` is included,
 * `until` is not.
 */
export type ActivitySelection = ActivityFilter &
  Readonly<{ accountId?: number | undefined; from?: number | undefined; until?: number | undefined }>;

/** The reader of the activities: an administrator, or the person whose account has this id and name. */
export type ActivityViewer = 'administrator' | Readonly<{ accountId: number; username: string }>;

/** An activity with names, and with the address and software that its session was started with. Unknown texts are empty. */
export type ShownActivity = Activity &
  Readonly<{ username: string; actorName: string; address: string; client: string }>;

/** A part of the history. `next` is where it continues; undefined if this is its end. */
export type ActivityPage = Readonly<{ items: readonly ShownActivity[]; next: ActivityCursor | undefined }>;

/** Commits that are read at once. The largest take a quarter of a megabyte. */
const READ_TOGETHER = 50;
/** Events that one page reads before it ends early, and the next one continues. A commit counts as at least one event. */
export const EVENTS_PER_PAGE = 2_000;
/** In bytes of the answer. Each entry counts on a page with its texts, and with this for the rest. */
const ENTRY_BYTES = 700;
/** Sessions whose start is remembered during one walk. */
const SESSIONS = 1_000;

/** The result of one step of a walk. It continues at `end`. */
type Step = Readonly<{ items: readonly ShownActivity[]; events: number; end: ActivityCursor | undefined }>;

/** Shows the events of the store as activities, the newest first. */
@Injectable()
export class ActivityHistory {
  constructor(
    private readonly history: CommitHistory,
    private readonly store: EventStore,
    private readonly readModels: ReadModelStore,
  ) {}

  /** Returns at most `limit` activities after a cursor. A page can be short or empty and still have a `next`. */
  async page(
    viewer: ActivityViewer,
    selection: ActivitySelection,
    { after, limit }: Readonly<{ after: ActivityCursor | undefined; limit: number }>,
  ): Promise<ActivityPage> {
    const items: ShownActivity[] = [];
    let [bytes, events] = [0, 0];
    for await (const step of this.#walk(viewer, selection, after)) {
      for (const item of step.items) {
        bytes += sizeOf(item);
        if (bytes > PAGE_BYTES && items.length > 0) return { items, next: items.at(-1)!.cursor };
        items.push(item);
        if (items.length === limit) return { items, next: item.cursor };
      }
      events += step.events;
      if (step.end && events >= EVENTS_PER_PAGE) return { items, next: step.end };
    }
    return { items, next: undefined };
  }

  /** Yields all activities, some at a time. Reads on only when the next ones are asked for. */
  async *all(viewer: ActivityViewer, selection: ActivitySelection): AsyncGenerator<readonly ShownActivity[]> {
    for await (const { items } of this.#walk(viewer, selection, undefined)) yield items;
  }

  async *#walk(
    viewer: ActivityViewer,
    selection: ActivitySelection,
    after: ActivityCursor | undefined,
  ): AsyncGenerator<Step> {
    const started = new LRUCache<string, StartedSession>({ max: SESSIONS });
    let cursor = after;
    for (;;) {
      const commits = await this.history.readHistory(rangeOf(selection, cursor), READ_TOGETHER);
      const last = commits.at(-1);
      const end = commits.length < READ_TOGETHER ? undefined : last && { ...last.cursor, index: 0 };
      for (const { commit } of commits) {
        const session = startedSession(commit);
        if (session) started.set(session.sessionId, session);
      }
      const activities = activitiesBefore(commits, selection, cursor);
      const events = commits.reduce((sum, { commit }) => sum + Math.max(1, commit.events.length), 0);
      yield { items: await this.#shown(viewer, activities, started), events, end };
      if (!end) return;
      cursor = end;
      // On SQLite a read does not wait, and many of them would keep all other requests waiting.
      await otherWork();
    }
  }

  async #shown(
    viewer: ActivityViewer,
    activities: readonly Activity[],
    started: LRUCache<string, StartedSession>,
  ): Promise<ShownActivity[]> {
    const [names, sessions] = await Promise.all([
      this.#namesOf(viewer, activities),
      this.#sessionsOf(activities, started),
    ]);
    const nameOf = (id: number | undefined) => (id === undefined ? '' : (names.get(id) ?? ''));
    return activities.map((activity) => {
      const session = activity.sessionId === undefined ? undefined : sessions.get(activity.sessionId);
      // Only administrators see the session, address and software of others: where an administrator works from is personal data. Of other
      // actors, owners see the kind and the account id. An intruder's sessions belong to the account, so the owner sees their addresses.
      const isShown = viewer === 'administrator' || session?.accountId === viewer.accountId;
      return {
        ...activity,
        sessionId: isShown ? activity.sessionId : undefined,
        username: nameOf(activity.accountId),
        actorName: nameOf(activity.actor.accountId),
        address: isShown && session ? session.address : '',
        client: isShown && session ? session.client : '',
      };
    });
  }

  /** Returns the present names of the accounts. Deleted accounts have none. */
  async #namesOf(viewer: ActivityViewer, activities: readonly Activity[]): Promise<Map<number, string>> {
    if (viewer !== 'administrator') return new Map([[viewer.accountId, viewer.username]]);
    const ids = new Set(activities.flatMap(({ accountId, actor }) => [accountId, actor.accountId]));
    const refs = [...ids].filter((id) => id !== undefined).map((id) => accountStream(id));
    if (refs.length === 0) return new Map();
    const documents = (await this.readModels.get(refs)) as Map<string, Loaded<Account>>;
    return new Map([...documents.values()].map(({ state }) => [state.accountId, state.username]));
  }

  /** Returns how the sessions of the activities were started. Compacted sessions are missing. */
  async #sessionsOf(
    activities: readonly Activity[],
    started: LRUCache<string, StartedSession>,
  ): Promise<Map<string, StartedSession>> {
    const ids = new Set(activities.flatMap(({ sessionId }) => sessionId ?? []));
    const unknown = [...ids].filter((id) => !started.has(id));
    if (unknown.length > 0) {
      const points = unknown.map((id) => ({ stream: sessionStream(id, 0).stream, version: 0 }));
      for (const commit of await this.store.readStreams(points)) {
        const session = startedSession(commit);
        if (session) started.set(session.sessionId, session);
      }
    }
    return new Map([...ids].flatMap((id) => (started.has(id) ? [[id, started.get(id)!] as const] : [])));
  }
}

/** A commit whose last events were not shown yet is read again. */
function rangeOf({ accountId, from, until }: ActivitySelection, cursor: ActivityCursor | undefined): HistoryRange {
  const resumed = cursor && { at: cursor.at, key: cursor.index > 0 ? cursor.key + 1 : cursor.key };
  const end = until === undefined ? undefined : cursorAt(until);
  const before = resumed && (!end || resumed.at < end.at) ? resumed : end;
  return {
    ...(accountId !== undefined && { partition: String(accountId) }),
    ...(from !== undefined && { from }),
    ...(before && { before }),
  };
}

/** Returns the selected activities of the commits, without those that were shown before `cursor`. */
function activitiesBefore(
  commits: readonly HistoryEntry[],
  filter: ActivityFilter,
  cursor: ActivityCursor | undefined,
): Activity[] {
  const isShown = (activity: Activity) =>
    cursor?.key === activity.cursor.key && cursor.at === activity.cursor.at && activity.cursor.index >= cursor.index;
  return commits.flatMap((commit) => activitiesOf(commit, filter)).filter((activity) => !isShown(activity));
}

const sizeOf = ({ username, actorName, address, client, details }: ShownActivity): number =>
  ENTRY_BYTES + bytesOf(username, actorName, address, client, JSON.stringify(details));

/** Returns an activity in the spelling of the API, the export and the operator command. */
export const activityJson = (activity: ShownActivity) => ({
  id: activity.id,
  time: isoTime(activity.cursor.at),
  type: activity.type,
  account_id: activity.accountId ?? null,
  username: activity.username,
  actor: {
    kind: activity.actor.kind,
    account_id: activity.actor.accountId ?? null,
    username: activity.actorName,
    token_id: activity.actor.tokenId ?? null,
  },
  session_id: activity.sessionId ?? '',
  ip: activity.address,
  ua: activity.client,
  correlation_id: activity.correlation,
  details: activity.details,
});
