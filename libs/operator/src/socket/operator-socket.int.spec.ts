import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requireFreeFolder, runInOwnerProcess } from './operator-socket.client.js';
import { operatorSocketPath, type RunSocketRequest, type SocketRequest } from './operator-socket.js';
import { OperatorSocketServer } from './operator-socket.server.js';

const request: SocketRequest = { command: 'verify', args: { deep: true } };
const never = () => new AbortController().signal;

function newFolder(name = 'data'): string {
  const parent = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

async function serving(run: RunSocketRequest, folder = newFolder()) {
  const server = new OperatorSocketServer(run);
  await server.start(folder);
  onTestFinished(() => server.close());
  return { folder, server, path: operatorSocketPath(folder) };
}

/** Returns what a client received, in order. */
async function ask(folder: string, signal = never()) {
  const lines: string[] = [];
  const output = {
    out: async (line: string) => void lines.push(`out ${line}`),
    err: async (line: string) => void lines.push(`err ${line}`),
  };
  return { exit: await runInOwnerProcess(folder, request, output, signal), lines };
}

/** Runs until it is interrupted, and reports that. */
const untilAborted: RunSocketRequest = async (_, output, signal) => {
  await output.out('started');
  if (!signal.aborted) await new Promise((aborted) => signal.addEventListener('abort', aborted));
  await output.err('interrupted');
  return 130;
};

/** Returns a folder in which a process listens that greets its clients so. */
async function listening(greet: (write: (text: string) => void, end: () => void) => void) {
  const folder = newFolder();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    greet(
      (text) => socket.write(text),
      () => socket.end(),
    );
  });
  await once(server.listen(operatorSocketPath(folder)), 'listening');
  onTestFinished(() => void server.close());
  return folder;
}

function leaveSocketOfKilledProcess(folder: string): void {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script, operatorSocketPath(folder)]);
}

describe('a request', () => {
  it('runs in the listening process, which returns its lines and exit status in order', async () => {
    const { folder } = await serving(async ({ command, args }, output) => {
      await output.out(`${command} ${JSON.stringify(args)}`);
      await output.err('a "warning"\nof two lines');
      await output.out('я 🗝');
      return 1;
    });
    expect(await ask(folder)).toEqual({
      exit: 1,
      lines: ['out verify {"deep":true}', 'err a "warning"\nof two lines', 'out я 🗝'],
    });
  });

  it('can have a long output, which waits for its reader', async () => {
    const line = 'x'.repeat(10_000);
    const { folder } = await serving(async (_, output) => {
      for (let count = 0; count < 1_000; count++) await output.out(line);
      return 0;
    });
    const { exit, lines } = await ask(folder);
    expect({ exit, lines: lines.length, last: lines.at(-1)?.length }).toEqual({ exit: 0, lines: 1_000, last: 10_004 });
  });

  it('runs concurrently with others', async () => {
    let arrived = 0;
    const both = Promise.withResolvers<void>();
    const { folder } = await serving(async () => {
      if (++arrived === 2) both.resolve();
      await both.promise;
      return 0;
    });
    expect(await Promise.all([ask(folder), ask(folder)])).toMatchObject([{ exit: 0 }, { exit: 0 }]);
  });

  it('reports an unexpected failure', async () => {
    const { folder } = await serving(async () => {
      throw new Error('out of luck');
    });
    expect(await ask(folder)).toEqual({ exit: 1, lines: ['err out of luck'] });
  });

  it('is refused if it is malformed', async () => {
    const { path } = await serving(async () => 0);
    const socket = connect(path);
    socket.write('{"command":7}\n');
    const answers = (await socket.setEncoding('utf8').toArray()).join('').trim().split('\n');
    expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual([
      { keyfold: 1, pid: process.pid },
      { exit: 2 },
    ]);
  });

  it('is refused if it is too long', async () => {
    const { path } = await serving(async () => 0);
    const socket = connect(path).on('error', () => undefined);
    socket.write('x'.repeat(2_000_000));
    const [, answer, ...others] = (await socket.setEncoding('utf8').toArray()).join('').trim().split('\n');
    expect(JSON.parse(answer!)).toEqual({ err: 'the message is longer than 1048576 characters' });
    expect(others).toEqual(['{"exit":1}']);
  });
});

describe('an interruption', () => {
  it('stops the command, which can still write its last lines', async () => {
    const { folder } = await serving(untilAborted);
    const interrupt = new AbortController();
    const lines: string[] = [];
    const output = {
      out: async (line: string) => (lines.push(line), interrupt.abort()),
      err: async (line: string) => void lines.push(line),
    };
    expect(await runInOwnerProcess(folder, request, output, interrupt.signal)).toBe(130);
    expect(lines).toEqual(['started', 'interrupted']);
  });

  it('by the death of the client stops the command', async () => {
    const stopped = Promise.withResolvers<void>();
    const { path } = await serving(async (_, output, signal) => {
      await output.out('started');
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
      return 0;
    });
    const socket = connect(path);
    socket.write(`${JSON.stringify(request)}\n`);
    socket.on('data', (data) => String(data).includes('started') && socket.destroy());
    await stopped.promise;
  });

  it('by the shutdown of the process stops the command and leaves no socket', async () => {
    const started = Promise.withResolvers<void>();
    const { folder, server, path } = await serving((...parameters) => (started.resolve(), untilAborted(...parameters)));
    const asked = ask(folder);
    await started.promise;
    await server.close();
    expect(await asked).toEqual({ exit: 130, lines: ['out started', 'err interrupted'] });
    expect(existsSync(path)).toBe(false);
    expect((await ask(folder)).exit).toBeUndefined();
  });
});

describe('the socket', () => {
  it('belongs to its owner alone from the first moment', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const { path } = await serving(async () => 0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(process.umask()).toBe(0);
  });

  it('of a killed process is ignored and replaced by the next process', async () => {
    const folder = newFolder();
    leaveSocketOfKilledProcess(folder);
    expect(existsSync(operatorSocketPath(folder))).toBe(true);
    expect((await ask(folder)).exit).toBeUndefined();
    await serving(async () => 0, folder);
    expect((await ask(folder)).exit).toBe(0);
  });

  it('of a listening process is not replaced', async () => {
    const { folder } = await serving(async () => 7);
    await expect(new OperatorSocketServer(async () => 0).start(folder)).rejects.toThrow('another process listens');
    expect((await ask(folder)).exit).toBe(7);
  });

  it('does not replace another kind of file', async () => {
    const folder = newFolder();
    writeFileSync(operatorSocketPath(folder), 'kept');
    await expect(new OperatorSocketServer(async () => 0).start(folder)).rejects.toThrow('EADDRINUSE');
    expect(readFileSync(operatorSocketPath(folder), 'utf8')).toBe('kept');
  });

  it.each([
    [107, true],
    [108, false],
  ])('with a path of %i bytes is possible: %s', async (length, possible) => {
    const parent = join(newFolder(), 'é');
    const folder = parent + 'x'.repeat(length - Buffer.byteLength(join(parent, 'operator.sock')));
    mkdirSync(folder, { mode: 0o700 });
    const server = new OperatorSocketServer(async () => 5);
    if (possible) {
      await server.start(folder);
      onTestFinished(() => server.close());
      expect((await ask(folder)).exit).toBe(5);
    } else {
      await expect(server.start(folder)).rejects.toThrow(/has 108 bytes.*Set KEYFOLD_DATA_DIR to a shorter path/);
      await expect(ask(folder)).rejects.toThrow('shorter path');
    }
  });
});

describe('a socket that somebody else could replace', () => {
  it('is used only after its folder was closed to other users', async () => {
    const { folder } = await serving(async () => 7);
    chmodSync(folder, 0o777);
    expect((await ask(folder)).exit).toBe(7);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is the only reason to close a folder', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    await requireFreeFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o777);
  });
});

describe('a socket that somebody else placed', () => {
  it('gets no request and no greeting is read from it', async () => {
    const { folder, path } = await serving(async () => 0);
    rmSync(path);
    const elsewhere = operatorSocketPath((await serving(async () => 0)).folder);
    symlinkSync(elsewhere, path);
    onTestFinished(() => rmSync(path));
    for (const connection of [ask(folder), requireFreeFolder(folder)])
      await expect(connection).rejects.toThrow(`${path} is not a socket.`);
  });
});

describe('a listening process that', () => {
  it('never greets is reported after a timeout', async () => {
    const began = performance.now();
    await expect(ask(await listening(() => {}))).rejects.toThrow('does not respond');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('uses another protocol is reported', async () => {
    await expect(ask(await listening((write) => write('{"keyfold":2}\n')))).rejects.toThrow('another version');
  });

  it('ends during a command is reported', async () => {
    const folder = await listening((write, end) => {
      write('{"keyfold":1}\n{"out":"started"}\n{"out":"ha');
      end();
    });
    await expect(ask(folder)).rejects.toThrow('ended before the command was complete');
  });
});

describe('a data folder', () => {
  it('is free if no process listens, even with the socket of a killed process or if the folder does not exist', async () => {
    const folder = newFolder();
    await requireFreeFolder(folder);
    await requireFreeFolder(join(folder, 'nowhere'));
    leaveSocketOfKilledProcess(folder);
    await requireFreeFolder(folder);
  });

  it('with a listening service is refused with its process id, and the service keeps running', async () => {
    const { folder } = await serving(async () => 0);
    for (const _ of [1, 2])
      await expect(requireFreeFolder(folder)).rejects.toThrow(
        `Keyfold already runs on the data folder ${folder} (process ${process.pid}). Stop that process first, or set KEYFOLD_DATA_DIR to another folder`,
      );
  });

  it.each([
    ['a process that does not send its process id', '{"keyfold":1}\n'],
    ['a process that sends nothing', ''],
  ])('of %s is refused, too', async (_, greeting) => {
    const folder = await listening((write, end) => {
      write(greeting);
      end();
    });
    await expect(requireFreeFolder(folder)).rejects.toThrow(`Keyfold already runs on the data folder ${folder}. Stop`);
  });
});
