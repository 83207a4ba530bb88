import { messagesOf, operatorSocketPath, type ServerMessage } from './operator-socket.js';
import { connected } from './operator-socket.client.js';

/** How long the other process has to say who it is, in milliseconds. */
const GREETING_TIMEOUT = 2_000;

/** A service already runs on the data folder. */
export class AlreadyRunning extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(
      `Keyfold already runs on the data folder ${folder}${pid === undefined ? '' : ` (process ${pid})`}. ` +
        'Stop that process first, or set KEYFOLD_DATA_DIR to another folder',
    );
    this.name = 'AlreadyRunning';
  }
}

/**
 * Checks that no service listens for operators in the folder. A process that has the folder and does not listen (yet) is found by the
 * folder lock, later in the start. Throws `AlreadyRunning`, `OperatorSocketError`.
 */
export async function requireFreeFolder(folder: string): Promise<void> {
  const socket = await connected(operatorSocketPath(folder));
  if (!socket) return;
  socket.setTimeout(GREETING_TIMEOUT, () => socket.destroy());
  const { value: greeting } = await (messagesOf(socket) as AsyncGenerator<ServerMessage, undefined>).next();
  socket.destroy();
  throw new AlreadyRunning(folder, greeting && 'keyfold' in greeting ? greeting.pid : undefined);
}
