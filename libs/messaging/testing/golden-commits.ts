import type { StoredEvent } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../domain/golden');

/** Every version of a stored event ever shipped, by file name, such as `SshKeyAdded.v1`. */
export const goldenEvents: ReadonlyMap<string, StoredEvent> = new Map(
  globSync('**/*.json', { cwd: FOLDER })
    .toSorted()
    .map((file) => {
      const { event } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { event: StoredEvent };
      return [basename(file, '.json'), event];
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
    partition: stream === 'site-settings' || stream === 'erasures' ? stream : '42',
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
  if (type === 'AccountErased' || type === 'BackupMade') return 'erasures';
  return /Setting|^StaticToken/.test(type) ? 'site-settings' : 'account-42';
}
