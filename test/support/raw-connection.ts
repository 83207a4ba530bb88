import { connect } from 'node:net';

const CLOSE_MS = 15_000;

/** Sends bytes as they are and answers everything that comes back until the server closes. Throws after 15 s without an end. */
export function exchangeBytes(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.setTimeout(CLOSE_MS, () => socket.destroy(new Error(`the connection stays open after ${received}`)));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
  });
}
