import { connect } from 'node:net';

const CLOSE_MS = 15_000;

/** Sends raw bytes and returns everything that the server sends until it closes. Throws after 15 s. */
export function exchangeBytes(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.setTimeout(CLOSE_MS, () => socket.destroy(new Error(`timed out with an open connection after ${received}`)));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
  });
}
