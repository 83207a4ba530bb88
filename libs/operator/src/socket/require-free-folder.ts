import { operatorSocketPath, receiveMessages, type ServerMessage } from './operator-socket.js';
import { connectTo } from './operator-socket.client.js';

/** How long the other process may take to greet (milliseconds). */
const GREETING_TIMEOUT = 2_000;

/** Another service uses the data folder. */
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
 * Checks that no service listens on the operator socket of the folder. The folder lock, which is taken later in the startup, detects a
 * process that does not listen yet. Throws `AlreadyRunning`, `OperatorSocketError`.
 */
export async function requireFreeFolder(folder: string): Promise<void> {
  const socket = await connectTo(operatorSocketPath(folder));
  if (!socket) return;
  socket.setTimeout(GREETING_TIMEOUT, () => socket.destroy());
  const { value: greeting } = await (receiveMessages(socket) as AsyncGenerator<ServerMessage, undefined>).next();
  socket.destroy();
  throw new AlreadyRunning(folder, greeting && 'keyfold' in greeting ? greeting.pid : undefined);
}
