import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseSealingKeys, Sealer } from '@keyfold/security';

/** A stored event; `sealed` contains its secrets. */
export interface StoredEvent {
  type: string;
  data: Record<string, unknown>;
  sealed?: Record<string, string>;
}

/** The parts of a stored commit that tests read. */
export interface StoredCommit {
  stream: string;
  actor: string;
  /** The caller's correlation id. */
  session?: string;
  correlation: string;
  clientCorrelation?: string;
  events: StoredEvent[];
}

/** Returns all commits of a data folder in order, even while a process uses it. */
export function storedCommits(folder: string): StoredCommit[] {
  const database = new DatabaseSync(join(folder, 'keyfold.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT * FROM commits ORDER BY position').all();
    return rows.map(({ stream, actor, session, correlation, client_correlation: clientCorrelation, events }) => ({
      stream: String(stream),
      actor: String(actor),
      ...(session !== null && { session: String(session) }),
      correlation: String(correlation),
      ...(clientCorrelation !== null && { clientCorrelation: String(clientCorrelation) }),
      events: JSON.parse(String(events)) as StoredEvent[],
    }));
  } finally {
    database.close();
  }
}

/** Returns all stored events of a type in order. */
export function storedEvents(folder: string, type: string): StoredEvent[] {
  return storedCommits(folder)
    .flatMap(({ events }) => events)
    .filter((event) => event.type === type);
}

/** Returns the administrator's static token, unsealed with the generated key of the folder. */
export function storedStaticToken(folder: string): string {
  const sealed = storedEvents(folder, 'StaticTokenReset').at(-1)?.sealed?.['token'] ?? '';
  const keys = parseSealingKeys(readFileSync(join(folder, 'sealing-key'), 'utf8').trim());
  return new Sealer(keys).open(sealed, 'site-settings/static-token');
}

/** Returns the files of a data folder. It has no subfolders. */
export function filesOf(folder: string): { name: string; mode: number; bytes: Buffer }[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => {
    const path = join(folder, name);
    return { name, mode: statSync(path).mode & 0o777, bytes: readFileSync(path) };
  });
}
