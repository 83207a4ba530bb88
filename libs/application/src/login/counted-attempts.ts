import { DomainError } from '@keyfold/domain';
import { isRetryable } from '@keyfold/event-store';
import { HashQueueFull, type CountedAttempt, type LoginAttempt, type LoginThrottle } from '@keyfold/security';

/** Counts an attempt before it is checked. Throws `too-many-attempts`. */
export async function admit(throttle: LoginThrottle, attempt: LoginAttempt): Promise<CountedAttempt> {
  const admission = await throttle.admit(attempt);
  if (admission.admitted) return admission.counted;
  throw new DomainError('too-many-attempts', { retryAfterSeconds: admission.retryAfterSeconds });
}

/**
 * Refunds an attempt that was not checked because of this error, because it is no guess. It still counts for its source if the queue of hashes
 * was full; otherwise filling that would be free.
 */
export async function refundUnchecked(throttle: LoginThrottle, counted: CountedAttempt, error: unknown): Promise<void> {
  await (error instanceof HashQueueFull ? throttle.refundGuess(counted) : throttle.refund(counted));
}

/** Records a success. Ignores outages: a lost counter must not fail a right attempt, least of all after its code was spent. */
export async function succeed(throttle: LoginThrottle, counted: CountedAttempt): Promise<void> {
  await throttle.recordSuccess(counted).catch(unlessRetryable);
}

/** Undoes the count of an unknown app password. Ignores outages, like `succeed`. */
export const refundUnknownAppPassword = (throttle: LoginThrottle, address: string): Promise<void> =>
  throttle.refundUnknownAppPassword(address).catch(unlessRetryable);

/** Throws `too-many-attempts` unless the number of seconds is 0. */
export function refuseFor(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new DomainError('too-many-attempts', { retryAfterSeconds });
}

function unlessRetryable(error: unknown): void {
  if (!isRetryable(error)) throw error;
}
