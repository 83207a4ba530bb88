import { ManagementUnavailable } from './management.js';

/** The result of comparing one object of the broker with the topology. */
export type Finding = Readonly<{
  /** For example `queue keyfold.rpc`. */
  object: string;
  /** `unknown`: the object cannot be compared; `detail` says why. */
  state: 'same' | 'missing' | 'different' | 'created' | 'unknown';
  /** The difference and what an operator can do about it, in one or more lines. */
  detail?: string;
}>;

/** Whether an operator has to act. */
export const isOpen = ({ state }: Finding) => state === 'missing' || state === 'different';

/** Returns the result of `find`, or a finding in `state` with the reason if the management API is unavailable. */
export async function foundOr(object: string, state: Finding['state'], find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    return { object, state, detail: error.message };
  }
}
