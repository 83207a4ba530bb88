import type { StoredEvent } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../domain/golden/', import.meta.url);

/** Every version of a stored event ever shipped, by file name, such as `SshKeyAdded.v1`. */
export const goldenEvents: ReadonlyMap<string, StoredEvent> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const { event } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { event: StoredEvent };
      return [file.replace(/\.json$/, ''), event];
    }),
);

/** Returns the golden event of this name. Throws if it does not exist. */
export function goldenEvent(name: string): StoredEvent {
  const event = goldenEvents.get(name);
  if (!event) throw new Error(`there is no golden event ${name}`);
  return event;
}

/** Creates commit 3 of the stream for events of this type, of account 42, at a fixed time. */
export function commitOf(events: readonly StoredEvent[], overrides: Partial<Commit> = {}): Commit {
  const stream = streamOf(events[0]?.type ?? '');
  return {
    position: 17,
    partition: stream === 'site-settings' ? stream : '42',
    stream,
    version: 3,
    command: { id: 'command-1', type: 'Anything', hash: '' },
    at: Date.UTC(2026, 0, 15, 12),
    actor: 'account:1',
    correlation: 'request-1',
    events,
    ...overrides,
  };
}

function streamOf(type: string): string {
  if (type === 'SessionStarted' || type === 'SessionEnded') return 'session-0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55';
  if (type === 'SshKeyUsed') return 'ssh-key-use-42';
  if (type.startsWith('AccessToken')) return 'access-tokens-42';
  if (type.startsWith('AppPassword')) return 'app-passwords-42';
  if (type.startsWith('SshKey')) return 'ssh-keys-42';
  return /Setting|^StaticToken/.test(type) ? 'site-settings' : 'account-42';
}
