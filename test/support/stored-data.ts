import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseSealingKeys, Sealer } from '@keyfold/security';

/** One event as it is stored; secrets stand sealed in `sealed`. */
export interface StoredEvent {
  type: string;
  data: Record<string, unknown>;
  sealed?: Record<string, string>;
}

/** One commit as far as tests look at it. */
export interface StoredCommit {
  stream: string;
  /** That of the caller. */
  session?: string;
  correlation: string;
  clientCorrelation?: string;
  events: StoredEvent[];
}

/** All commits of a data folder in their order, also while a process works on it. */
export function storedCommits(folder: string): StoredCommit[] {
  const database = new DatabaseSync(join(folder, 'keyfold.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT * FROM commits ORDER BY position').all();
    return rows.map(({ stream, session, correlation, client_correlation: clientCorrelation, events }) => ({
      stream: String(stream),
      ...(session !== null && { session: String(session) }),
      correlation: String(correlation),
      ...(clientCorrelation !== null && { clientCorrelation: String(clientCorrelation) }),
      events: JSON.parse(String(events)) as StoredEvent[],
    }));
  } finally {
    database.close();
  }
}

/** All stored events of a type in their order. */
export function storedEvents(folder: string, type: string): StoredEvent[] {
  return storedCommits(folder)
    .flatMap(({ events }) => events)
    .filter((event) => event.type === type);
}

/** The static token of the administrator, opened with the generated key of the folder. */
export function storedApiToken(folder: string): string {
  const sealed = storedEvents(folder, 'ApiTokenReset').at(-1)?.sealed?.['token'] ?? '';
  const keys = parseSealingKeys(readFileSync(join(folder, 'sealing-key'), 'utf8').trim());
  return new Sealer(keys).open(sealed, 'site-settings/api-token');
}

/** The files of a data folder, which has no folders in it. */
export function filesOf(folder: string): { name: string; mode: number; bytes: Buffer }[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => {
    const path = join(folder, name);
    return { name, mode: statSync(path).mode & 0o777, bytes: readFileSync(path) };
  });
}
