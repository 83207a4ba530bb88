import { reasonOf, type Commit } from '@keyfold/event-store';
import { BrokerUnavailable, MessageRefused, UnsendableMessage } from '../messaging.errors.js';
import type { AccountProgress } from './account-progress.js';
import type { OutgoingMessage } from '../event-publisher.js';
import type { RelayParts } from './relay-parts.js';

/**
 * Publishes the remaining messages of a commit one by one and records the progress. Returns `unsent` if the commit has to be retried, or an
 * `UnsendableMessage` if retries cannot succeed.
 */
export async function sendCommit(
  progress: AccountProgress,
  commit: Commit,
  parts: RelayParts,
  held: () => boolean,
): Promise<'sent' | 'unsent' | UnsendableMessage> {
  let messages: readonly OutgoingMessage[];
  try {
    messages = parts.messagesOf(commit);
  } catch (cause) {
    return new UnsendableMessage(reasonOf(cause), { cause });
  }
  for (const message of messages.slice(progress.confirmedMessages)) {
    if (!held() || !parts.publisher.isReady) return 'unsent';
    const sentAt = parts.now();
    try {
      await publish(message, commit, parts);
    } catch (error) {
      if (error instanceof UnsendableMessage) return error;
      recordFailure(progress, parts, error);
      return 'unsent';
    }
    parts.counter.published += 1;
    parts.counter.confirms.observe((parts.now() - sentAt) / 1_000);
    progress.confirmedMessages += 1;
    progress.resetBackOff();
  }
  return 'sent';
}

function publish(message: OutgoingMessage, commit: Commit, { publisher, traces }: RelayParts): Promise<void> {
  if (!traces) return publisher.publish(message);
  return traces.publish(message, commit.traceparent, () => publisher.publish(message));
}

function recordFailure(progress: AccountProgress, { counter, now }: RelayParts, error: unknown): void {
  progress.isStalled = true;
  if (error instanceof MessageRefused) {
    counter.refused += 1;
    progress.backOff(now());
  } else if (error instanceof BrokerUnavailable) counter.retried += 1;
  else throw error;
}
