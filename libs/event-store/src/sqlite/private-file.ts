import { writeFileSync } from 'node:fs';

/**
 * Creates an empty file with mode 0600 if it does not exist. SQLite uses the same mode for its companions (-wal, -shm, -journal). An
 * existing file is not opened: closing it would release this process's locks on it.
 */
export function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}
