import { InvalidArgumentError } from 'commander';

/** Reads an option that is an ISO 8601 timestamp. Returns unix milliseconds. */
export function timeArgument(text: string): number {
  const at = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('Expected an ISO 8601 timestamp.');
  return at;
}

/** Reads an option that is the id of an account. */
export function accountIdArgument(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('Expected an account id.');
  return id;
}

/** Reads the id of an access token or an app password. */
export function secretIdArgument(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('Expected a positive integer.');
  }
  return Number(text);
}
