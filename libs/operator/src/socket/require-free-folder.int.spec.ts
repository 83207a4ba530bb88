import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { operatorSocketPath } from './operator-socket.js';
import { OperatorSocketServer } from './operator-socket.server.js';
import { requireFreeFolder } from './operator-socket.client.js';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns a folder whose socket sends this greeting and closes the connection. */
async function folderOf(greeting: string): Promise<string> {
  const folder = newFolder();
  const server = createServer((socket) => socket.on('error', () => undefined).end(greeting));
  await once(server.listen(operatorSocketPath(folder)), 'listening');
  onTestFinished(() => void server.close());
  return folder;
}

it('a folder is free if no process listens, even with the socket of a killed process or if the folder does not exist', async () => {
  const folder = newFolder();
  await requireFreeFolder(folder);
  await requireFreeFolder(join(folder, 'nowhere'));
  const killed = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', killed, operatorSocketPath(folder)]);
  await requireFreeFolder(folder);
});

it('a folder with a listening service is refused with its process id, and the service keeps running', async () => {
  const folder = newFolder();
  const server = new OperatorSocketServer(async () => 0);
  await server.start(folder);
  onTestFinished(() => server.close());
  for (const _ of [1, 2])
    await expect(requireFreeFolder(folder)).rejects.toThrow(
      `Keyfold already runs on the data folder ${folder} (process ${process.pid}). Stop that process first, or set KEYFOLD_DATA_DIR to another folder`,
    );
});

it.each([
  ['a process that does not send its process id', '{"keyfold":1}\n'],
  ['a process that sends nothing', ''],
])('a folder of %s is refused, too', async (_, greeting) => {
  const folder = await folderOf(greeting);
  await expect(requireFreeFolder(folder)).rejects.toThrow(`Keyfold already runs on the data folder ${folder}. Stop`);
});
