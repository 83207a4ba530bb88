import { ValidateBy } from 'class-validator';

/** Accepts the id of something that is numbered within its account. `accountOf` returns the account of an id, and `what` names the thing. */
export const IsNumberedId = (accountOf: (id: number) => number, what: string): PropertyDecorator =>
  ValidateBy(
    {
      name: 'numberedId',
      validator: { validate: (value) => Number.isSafeInteger(value) && accountOf(value as number) > 0 },
    },
    { message: `$property must be the id of ${what}` },
  );
