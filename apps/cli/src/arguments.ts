import { InvalidArgumentError } from 'commander';

/** Reads an option that is an ISO 8601 timestamp. Returns unix milliseconds. */
export function timeArgument(text: string): number {
  const at = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('Expected an ISO 8601 timestamp.');
  return at;
}

const positiveInteger = (expected: string) => (text: string) => {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError(`Expected ${expected}.`);
  return Number(text);
};

/** Reads an option that is a positive integer. */
export const positiveIntegerArgument = positiveInteger('a positive integer');
/** Reads an option that is the id of an account. */
export const accountIdArgument = positiveInteger('an account id');
/** Reads an option that is the id of an SSH key. */
export const keyIdArgument = positiveInteger('the id of a key');
