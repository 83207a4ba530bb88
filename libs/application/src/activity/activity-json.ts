import { isoTime } from '../iso-time.js';
import type { ShownActivity } from './activity-history.js';

/** Returns an activity in the spelling of the API, the export and the operator command. */
export const activityJson = (activity: ShownActivity) => ({
  id: activity.id,
  time: isoTime(activity.place.at),
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
