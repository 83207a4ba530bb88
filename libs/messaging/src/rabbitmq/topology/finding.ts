import { ManagementUnavailable } from './management.js';

/** How an object of the broker is, compared with how it should be. */
export type Finding = Readonly<{
  /** For example `queue keyfold.rpc`. */
  object: string;
  /** `unknown`: it cannot be compared from here; `detail` says why. */
  state: 'same' | 'missing' | 'different' | 'created' | 'unknown';
  /** What differs and what an operator can do about it; one line or several. */
  detail?: string;
}>;

/** Whether something is left to do for an operator. */
export const isOpen = ({ state }: Finding) => state === 'missing' || state === 'different';

/** What was found, or in its place that the management API does not tell this user. */
export async function foundOr(object: string, state: Finding['state'], find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    return { object, state, detail: error.message };
  }
}
