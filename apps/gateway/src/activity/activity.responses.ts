import { ApiProperty } from '@nestjs/swagger';
import { activityJson, type ActivityPage, type ShownActivity } from '@keyfold/application';
import { cursorResponse, type PreparedResponse } from '@keyfold/http-envelope';
import { cursorOf } from './activity-cursor.js';

const integerOrNull = { oneOf: [{ type: 'integer' }, { type: 'null' }] };

/** The maker of a change. */
export class ActorResponse {
  @ApiProperty({
    description:
      'How the actor was known: `session`, `guest`, `static-token`, `access-token`, `login` (the credentials of a login), ' +
      '`operator`, `message`, `expiry` (the expiry of a key) or `first-start`. More values may be added.',
  })
  kind!: string;
  @ApiProperty({ ...integerOrNull, description: 'Null if the actor is no account.' }) account_id!: number | null;
  @ApiProperty({
    description: 'The present name of the account. Empty if it was deleted, or if only administrators may see it.',
  })
  username!: string;
  @ApiProperty({ ...integerOrNull, description: 'The access token, if one was used.' }) token_id!: number | null;
}

/** One event of the history. */
export class ActivityResponse {
  @ApiProperty({ description: 'Never changes, and is unique. Public events have the same ids.' }) id!: string;
  @ApiProperty({ format: 'date-time', description: 'ISO 8601 in UTC.' }) time!: string;
  @ApiProperty({ description: 'For example `ssh-key.added`. More values may be added.' }) type!: string;
  @ApiProperty({ ...integerOrNull, description: 'Null for the settings of the site.' }) account_id!: number | null;
  @ApiProperty({ description: 'The present name of the account. Empty if it was deleted.' }) username!: string;
  @ApiProperty() actor!: ActorResponse;
  @ApiProperty({ description: 'The session of the change. Empty if it had none.' }) session_id!: string;
  @ApiProperty({ description: 'The address that the session logged in from. Empty once the session is deleted.' })
  ip!: string;
  @ApiProperty({ description: 'The user agent that the session logged in with. Empty once the session is deleted.' })
  ua!: string;
  @ApiProperty({ description: 'The id that the server gave to the request, as in the log.' }) correlation_id!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Facts that depend on the type.' })
  details!: object;
}

/** A page of the history, the newest event first. */
export class ActivityPageResponse {
  @ApiProperty({ type: [ActivityResponse] }) content!: ActivityResponse[];
  @ApiProperty({
    description: 'Continues the history. Empty at its end. A page may be short, or empty, before the end.',
  })
  next_cursor!: string;
}

/** Serializes a page of the history. */
export const activityPageResponse = ({ items, next }: ActivityPage): Promise<PreparedResponse> =>
  cursorResponse(items, next ? cursorOf(next) : '', activityResponse);

/** Returns an entry of the history. */
export const activityResponse: (activity: ShownActivity) => ActivityResponse = activityJson;
