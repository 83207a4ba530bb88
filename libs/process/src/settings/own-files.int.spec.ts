import { lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requireOwnFile, requireOwnFolder } from './own-files.js';

const OWN = process.geteuid!();
const STRANGER = 4_242;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Makes a path foreign to the user that is returned: gives it away, which only root can do, or returns a different user. */
function foreignTo(path: string): number {
  if (OWN !== 0) return STRANGER;
  lchownSync(path, STRANGER, STRANGER);
  return OWN;
}

describe('a data folder', () => {
  it('of the user of the process is accepted, also through a symbolic link of that user', () => {
    const folder = newFolder();
    const data = join(folder, 'data');
    mkdirSync(data);
    symlinkSync(data, join(folder, 'link'));
    for (const path of [data, `${data}/`, join(folder, 'link')]) requireOwnFolder(path);
  });

  it('of another user is refused with both users', () => {
    const folder = newFolder();
    const user = foreignTo(folder);
    const owner = OWN === 0 ? STRANGER : OWN;
    expect(() => requireOwnFolder(folder, user)).toThrow(
      `KEYFOLD_DATA_DIR: ${folder} belongs to user ${owner}, but Keyfold runs as user ${user}. Run Keyfold as the owner`,
    );
  });

  it('behind a symbolic link of another user is refused, even if it belongs to the user of the process', () => {
    const folder = newFolder();
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    const user = foreignTo(link);
    for (const path of [link, `${link}/`])
      expect(() => requireOwnFolder(path, user)).toThrow(`${path} is a symbolic link of user`);
  });
});

describe('a file of the data folder', () => {
  it('of the user of the process, of root or missing is accepted', () => {
    const path = join(newFolder(), 'file');
    requireOwnFile(path, 'regular file');
    writeFileSync(path, '');
    requireOwnFile(path, 'regular file');
    if (OWN === 0) requireOwnFile(path, 'regular file', STRANGER);
  });

  it('of another user is refused', () => {
    const path = join(newFolder(), 'file');
    writeFileSync(path, '');
    const user = foreignTo(path);
    expect(() => requireOwnFile(path, 'regular file', user)).toThrow(/file belongs to user \d+, but Keyfold runs as/);
  });

  it('of another kind is refused', async () => {
    const folder = newFolder();
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'missing'), link);
    expect(() => requireOwnFile(link, 'regular file')).toThrow(`${link} is not a regular file.`);
    expect(() => requireOwnFile(folder, 'regular file')).toThrow('is not a regular file');
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    requireOwnFile(socket, 'socket');
    expect(() => requireOwnFile(link, 'socket')).toThrow(`${link} is not a socket.`);
  });
});
