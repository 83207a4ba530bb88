import { ACCESS_REFUSED, GRANT_ADVICE, type ChannelError } from '../channel-error.js';
import { ManagementUnavailable } from './management.js';

/** The result of comparing one object of the broker with the topology. */
export type Finding = Readonly<{
  /** For example `queue keyfold.rpc`. */
  object: string;
  /**
   * `refused`: RabbitMQ does not let this user compare or create the object. `unknown`: the object cannot be compared without the management
   * API. In both cases `detail` says why.
   */
  state: 'same' | 'missing' | 'different' | 'created' | 'refused' | 'unknown';
  /** The difference and what an operator can do about it, in one or more lines. */
  detail?: string;
}>;

/** Whether an operator has to act. */
export const isOpen = ({ state }: Finding) => state === 'missing' || state === 'different' || state === 'refused';

/** Returns the finding for an object that RabbitMQ refused to check or to change, although it may exist. */
export const refused = (object: string, { code, reason }: ChannelError): Finding => ({
  object,
  state: 'refused',
  detail: code === ACCESS_REFUSED ? `${reason}: ${GRANT_ADVICE}` : reason,
});

/** Returns the result of `find`, or a finding in `state` with the reason if the management API is unavailable. */
export async function foundOr(object: string, state: Finding['state'], find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    return { object, state, detail: error.message };
  }
}
