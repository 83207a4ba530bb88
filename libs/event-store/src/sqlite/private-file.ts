import { writeFileSync } from 'node:fs';

/**
 * Creates an empty file with mode 0600 if there is none. SQLite gives that mode to the files that it makes beside it (-wal, -shm,
 * -journal). An existing file is not opened: closing it would release the locks that this process holds on it.
 */
export function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It exists, or SQLite reports why it cannot be made.
  }
}
