import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';

async function start(): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  return app;
}

/** A login whose head the server has read and whose body has not been sent. */
async function beginLogin({ port }: StandaloneProcess): Promise<{ socket: Socket; body: string }> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  const head = ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Expect: 100-continue'];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
  await untilReceived(socket, 'HTTP/1.1 100 Continue\r\n\r\n');
  return { socket, body };
}

function untilReceived(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (part) => {
      received += String(part);
      if (received.includes(text)) resolve(received);
    });
    socket.on('close', () => reject(new Error(`closed after: ${received}`)));
  });
}

describe('SIGTERM', () => {
  it('ends a process with 0 although clients keep idle connections', async () => {
    const app = await start();
    const socket = connect(app.port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
    await untilReceived(socket, 'pong');
    expect(await app.stop()).toBe(0);
  });

  it('lets running requests have their answers before the process ends with 0', async () => {
    const app = await start();
    const logins = await Promise.all([beginLogin(app), beginLogin(app), beginLogin(app)]);
    const stopped = app.stop();
    await refusesConnections(app);
    const answers = logins.map(({ socket, body }) => {
      socket.write(body);
      return untilReceived(socket, '"data":{"token":');
    });
    expect(await Promise.all(answers)).toHaveLength(3);
    expect(await stopped).toBe(0);
  });

  it('ends a process with 0 although a client never sends its request to the end', async () => {
    const app = await start();
    await beginLogin(app);
    expect(await app.stop()).toBe(0);
  });

  it('loses nothing that was acknowledged', async () => {
    const app = await start();
    const admin = await new ApiClient(app.baseUrl).signedIn('admin', ADMIN_PASSWORD);
    const names = Array.from({ length: 20 }, (_, index) => `member-${index}`);
    const acknowledged: string[] = [];
    const creating = names.map(async (username) => {
      const answer = await admin.post('/api/admin/user/create', { username, password: 'x' });
      if (answer.code === 200) acknowledged.push(username);
    });
    await Promise.race(creating);
    expect(await app.stop()).toBe(0);
    await Promise.allSettled(creating);
    await app.restart();
    const { content } = (await admin.get('/api/admin/user/list')).data<{ content: { username: string }[] }>();
    expect(content.map(({ username }) => username)).toEqual(expect.arrayContaining(acknowledged));
  });
});

async function refusesConnections({ baseUrl }: StandaloneProcess): Promise<void> {
  const api = new ApiClient(baseUrl);
  const isOpen = () =>
    api.get('/ping').then(
      () => true,
      () => false,
    );
  while (await isOpen()) await pause(10);
}
