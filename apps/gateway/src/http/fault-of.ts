import { isRetryable } from '@keyfold/event-store';
import { Fault } from '@keyfold/http-envelope';
import { KeyIndexBehind, SearchTimeout } from '@keyfold/projections';
import { HashQueueFull } from '@keyfold/security';

/**
 * Returns the HTTP response to an error that is neither the client's mistake nor a bug, so that the client retries. Calls `report` for
 * errors that the operator must know about, such as a full disk.
 */
export function faultOf(error: unknown, report: (message: string) => void): Fault | undefined {
  if (isRetryable(error)) {
    report(error.message);
    return new Fault(503, 'the store is not available', error);
  }
  if (error instanceof KeyIndexBehind) return new Fault(503, 'the index of SSH keys is behind, try again later', error);
  if (error instanceof SearchTimeout) return new Fault(503, 'the search took too long, try again later', error);
  if (error instanceof HashQueueFull) return new Fault(503, 'too many logins at the moment', error);
  // The client disconnected while sending its body: nobody reads the response, and there is nothing to report.
  if (error instanceof Error && error.message === 'aborted') return new Fault(400, 'the request ended too early');
  return undefined;
}
