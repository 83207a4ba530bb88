import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { ADMIN_PASSWORD } from './accounts.js';

/** Starts a login whose headers the server has read. The request is complete once the caller sends the body. */
export async function beginLogin(port: number): Promise<{ socket: Socket; body: string }> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  const head = ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Expect: 100-continue'];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
  await untilReceived(socket, 'HTTP/1.1 100 Continue\r\n\r\n');
  return { socket, body };
}

/** Returns what was received from now on once it contains a text. Throws if the connection closes first. */
export function untilReceived(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (part) => {
      received += String(part);
      if (received.includes(text)) resolve(received);
    });
    socket.on('close', () => reject(new Error(`closed after: ${received}`)));
  });
}
