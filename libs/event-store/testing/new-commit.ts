import { randomUUID } from 'node:crypto';
import type { NewCommit } from '../src/commit.js';

/** A stream, hold or counter name that nobody else uses. */
export const unused = (prefix: string): string => `${prefix}-${randomUUID()}`;

/** A commit of a command of its own with one event; what a case is about goes into `details`. */
export function newCommit(stream: string, version: number, details: Partial<NewCommit> = {}): NewCommit {
  return {
    partition: stream,
    stream,
    version,
    command: newCommand(),
    at: Date.UTC(2025, 0, 1),
    actor: 'account:1',
    correlation: 'request-1',
    events: [{ type: 'account.renamed', v: 1, data: { version } }],
    ...details,
  };
}

/** A command that was never seen before, unless an `id` is given. */
export const newCommand = (id = randomUUID() as string, hash = 'hash-1'): NewCommit['command'] => ({
  id,
  type: 'account.rename',
  hash,
});
