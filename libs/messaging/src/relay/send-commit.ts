import { reasonOf, type Commit } from '@keyfold/event-store';
import { BrokerUnavailable, MessageRefused, UnsendableMessage } from '../messaging.errors.js';
import type { AccountProgress } from './account-progress.js';
import type { OutgoingMessage } from './event-publisher.js';
import type { RelayParts } from './relay-parts.js';

/**
 * Publishes what is left of a commit, one message after the other, and notes on the account's line how far it came. `unsent`: it shall
 * be tried again. Answers an `UnsendableMessage` when no try will succeed.
 */
export async function sendCommit(
  line: AccountProgress,
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
  for (const message of messages.slice(line.parts)) {
    if (!held() || !parts.publisher.isReady) return 'unsent';
    const sentAt = parts.now();
    try {
      await publish(message, commit, parts);
    } catch (error) {
      if (error instanceof UnsendableMessage) return error;
      noteFailure(line, parts, error);
      return 'unsent';
    }
    parts.counter.published += 1;
    parts.counter.confirms.observe((parts.now() - sentAt) / 1_000);
    line.parts += 1;
    line.confirmed();
  }
  return 'sent';
}

function publish(message: OutgoingMessage, commit: Commit, { publisher, traces }: RelayParts): Promise<void> {
  if (!traces) return publisher.publish(message);
  return traces.publish(message, commit.traceparent, () => publisher.publish(message));
}

function noteFailure(line: AccountProgress, { counter, now }: RelayParts, error: unknown): void {
  line.isHeldUp = true;
  if (error instanceof MessageRefused) {
    counter.refused += 1;
    line.refused(now());
  } else if (error instanceof BrokerUnavailable) counter.retried += 1;
  else throw error;
}
