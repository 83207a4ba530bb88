import { ApiProperty } from '@nestjs/swagger';
import { ACTIVITY_TYPES, ACTOR_KINDS, type ActivityPlace, type ActivitySelection } from '@keyfold/application';
import { instantOf, IsInstant } from '@keyfold/http-envelope';
import { IsOptional, ValidateBy } from 'class-validator';
import { placeOf } from './activity-cursor.js';

const DEFAULT_LIMIT = 50;
const MOST = 200;

/** Declares a field whose text `accepts`. `expected` completes the sentence "must be …". */
const Satisfies = (accepts: (text: string) => boolean, expected: string): PropertyDecorator =>
  ValidateBy(
    { name: 'satisfies', validator: { validate: (value) => typeof value === 'string' && accepts(value) } },
    { message: `$property must be ${expected}` },
  );

const isWhole = (text: string, most: number) => /^[1-9]\d{0,15}$/.test(text) && Number(text) <= most;
const isAccountId = (text: string) => isWhole(text, Number.MAX_SAFE_INTEGER);
const typesIn = (text: string) => text.split(',');
const kinds: readonly string[] = ACTOR_KINDS;

const optional = { required: false } as const;
const instant = { ...optional, type: 'string', format: 'date-time' } as const;

/** The period and the types of activity. */
class ActivityFilter {
  @ApiProperty({
    ...optional,
    type: 'string',
    description: `Only these types, separated by commas: ${ACTIVITY_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
  })
  @IsOptional()
  @Satisfies(
    (text) => typesIn(text).every((type) => ACTIVITY_TYPES.includes(type)),
    'a type of activity, or several separated by commas, such as ssh-key.added,ssh-key.removed',
  )
  type?: string = undefined;

  @ApiProperty({ ...instant, description: 'Only at or after this RFC 3339 time.' })
  @IsOptional()
  @IsInstant()
  from?: string = undefined;

  @ApiProperty({ ...instant, description: 'Only before this RFC 3339 time.' })
  @IsOptional()
  @IsInstant()
  until?: string = undefined;
}

/** The query of the caller's own activity. */
export class ActivityQuery extends ActivityFilter {
  @ApiProperty({
    ...optional,
    type: 'integer',
    minimum: 1,
    maximum: MOST,
    default: DEFAULT_LIMIT,
    description: 'The maximum number of entries of the page.',
  })
  @IsOptional()
  @Satisfies((text) => isWhole(text, MOST), `an integer from 1 to ${MOST}`)
  limit?: string = undefined;

  @ApiProperty({ ...optional, type: 'string', description: 'The `next_cursor` of the page before this one.' })
  @IsOptional()
  @Satisfies((text) => placeOf(text) !== undefined, 'the next_cursor of an earlier answer, unchanged')
  cursor?: string = undefined;
}

const ACTOR = {
  ...optional,
  type: 'string',
  description: `Only by this actor: an account id, or one of ${ACTOR_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
} as const;
const IsActor = () =>
  Satisfies((text) => isAccountId(text) || kinds.includes(text), `an account id or one of ${ACTOR_KINDS.join(', ')}`);

/** The query of the activity about one account. */
export class AccountActivityQuery extends ActivityQuery {
  @ApiProperty({ type: 'integer', description: 'The id of the account. It may have been deleted.' })
  @Satisfies(isAccountId, 'an account id')
  id = '';

  @ApiProperty(ACTOR)
  @IsOptional()
  @IsActor()
  actor?: string = undefined;
}

/** The query of the activity about all accounts and the settings. */
export class AnyActivityQuery extends ActivityQuery {
  @ApiProperty(ACTOR)
  @IsOptional()
  @IsActor()
  actor?: string = undefined;
}

/** The query of an export. */
export class ActivityExportQuery extends ActivityFilter {
  @ApiProperty(ACTOR)
  @IsOptional()
  @IsActor()
  actor?: string = undefined;
}

/** Returns the selection that a checked query describes. */
export function selectionOf({ type, from, until, actor }: ActivityFilter & { actor?: string }): ActivitySelection {
  return {
    types: type === undefined ? undefined : typesIn(type),
    from: from === undefined ? undefined : instantOf(from),
    until: until === undefined ? undefined : instantOf(until),
    actor: actor !== undefined && isAccountId(actor) ? Number(actor) : actor,
  };
}

/** Returns the page that a checked query asks for. */
export const pagingOf = ({ cursor, limit }: ActivityQuery): { after: ActivityPlace | undefined; limit: number } => ({
  after: cursor === undefined ? undefined : placeOf(cursor),
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
});
