import { ValidateBy } from 'class-validator';

/** Completes the sentence "must be …" for a text that is not an instant. */
export const AN_INSTANT = 'an RFC 3339 time such as 2027-01-31T12:00:00Z';

/** Declares a field of a checked input that is an RFC 3339 time. Read it with `instantOf`. */
export const IsInstant = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'instant',
      validator: { validate: (value) => typeof value === 'string' && instantOf(value) !== undefined },
    },
    { message: `$property must be ${AN_INSTANT}` },
  );

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Returns the unix milliseconds of an RFC 3339 time; undefined for any other text and for a day that does not exist. */
export function instantOf(text: string): number | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  const at = Date.parse(text.toUpperCase());
  // Date.parse moves February 30 into March.
  const isRealDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  return isRealDay && !Number.isNaN(at) ? at : undefined;
}
