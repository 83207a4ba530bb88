import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allCommands } from '@keyfold/operator/commands';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfold, startKeyfold } from '../support/cli.js';

const UNREACHABLE = 'mongodb://127.0.0.1:1/keyfold';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('help', () => {
  it('is shown on request', async () => {
    const { status, out, err } = await keyfold({}, '--help');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    for (const word of [
      'verify',
      'migrate',
      'compact',
      'account',
      'settings',
      'events',
      'projections',
      'feed',
      'topology',
      'queue',
      'KEYFOLD_DATA_DIR',
      'Exit status',
    ])
      expect(out).toContain(word);
  });

  it.each(Object.entries(allCommands).filter(([, { help }]) => help !== undefined))(
    'of %s needs no store',
    async (command, { description = '' }) => {
      const { status, out } = await keyfoldHere({ KEYFOLD_STORE: 'wrong' }, ...command.split(' '), '--help');
      expect(status).toBe(0);
      expect(out).toContain(description);
    },
  );
});

describe('wrong usage', () => {
  it('exits with status 2', async () => {
    expect(await keyfold({}, 'verfy')).toMatchObject({ status: 2, out: '' });
  });

  it.each([
    ['no command', '', 'Usage: keyfold'],
    ['an unknown command', 'verfy', 'Did you mean verify?'],
    ['an unknown option', 'verify --deep', "unknown option '--deep'"],
    ['a missing argument', 'events show', "missing required argument 'stream'"],
    ['too many arguments', 'verify all', 'too many arguments'],
    ['a password as an argument', 'account set-password admin hunter2', 'the password cannot be an argument'],
    ['a password in an option', 'account set-password admin --password=hunter2', 'the password cannot be an argument'],
    ['an incomplete command', 'projections', 'Usage: keyfold projections'],
    ['a replay without a target', 'feed replay', "option '--queue <queue>' or '--dry-run' is required"],
    ['a reversed time range', 'feed replay --dry-run --from 2026-02-01 --to 2026-01-01', "'--from' must be before"],
    ['an invalid time', 'feed replay --dry-run --from yesterday', 'Expected an ISO 8601 timestamp.'],
    ['no account', 'account history', "error: name the account, or use '--id <id>'"],
    ['an invalid account id', 'feed replay --dry-run --account ann', 'Expected an account id.'],
    ['a limit of zero', 'queue redrive --limit 0', 'Expected a positive integer.'],
    ['a password for a new account', 'account create ann hunter2', 'the password cannot be an argument'],
    ['an update of nothing', 'account update ann', 'name a field to change'],
    ['an impossible permission', 'account update ann --permission 4294967296', 'Expected an integer of 32 bits'],
    ['no key id', 'account keys ann --remove laptop', 'Expected the id of a key.'],
    ['two kinds of evictions', 'account sessions ann --evict x --evict-all', "use either '--evict' or '--evict-all'"],
    ['two values', 'settings set site_title x --value-file y', "use either a value or '--value-file'"],
    ['a secret as an argument', 'settings set sso_client_secret hunter2', 'a secret cannot be an argument'],
    ['an unknown setting as an argument', 'settings set site_titel hunter2', 'Keyfold does not know the setting'],
    ['a reset of nothing', 'settings reset', "name the settings to reset, or use '--all'"],
    ['a reset of some and all', 'settings reset site_title --all', "name the settings to reset, or use '--all'"],
    ['an id in another notation', 'account tokens ann --revoke=1e3', 'Expected a positive integer.'],
    ['an id beyond all ids', 'account app-passwords ann --revoke=99999999999999999', 'Expected a positive integer.'],
    ['a deletion without a question', 'account delete ann', 'without a terminal, --yes must confirm the deletion'],
    ['a missing file', 'account set-password ann --password-file /missing/file', 'cannot read /missing/file: ENOENT'],
    ['a drop without a reason', 'queue drop x', "required option '--reason <text>'"],
  ])('is %s: status 2 with the correct usage', async (_, line, text) => {
    const { status, out, err } = await keyfoldHere({}, ...line.split(' ').filter(Boolean));
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(text);
    expect(err).not.toContain('hunter2');
  });
});

describe('a file that cannot be used changes nothing', () => {
  it.each([
    ['is not UTF-8', 'account set-password ann --password-file', Buffer.from([0x70, 0xff, 0x77])],
    ['has more than 1048576 bytes', 'account create ann --password-file', 'x'.repeat(1_048_577)],
    ['has more than 1048576 bytes', 'settings import', `["${'x'.repeat(1_048_576)}"]`],
    ['contains no list of settings: expected a JSON array', 'settings import', 'no JSON'],
    ['contains no list of settings: in entry 1, value', 'settings import', '[{"key":"site_title"}]'],
  ])('because it %s: %s', async (problem, line, content) => {
    const file = join(temporaryFolder(), 'input');
    writeFileSync(file, content);
    const { status, out, err } = await keyfoldHere({}, ...line.split(' '), file);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect(err).toMatch(/\. Nothing was changed\n$/);
  });
});

describe('invalid settings exit with status 78', () => {
  it.each([
    ['an unknown store', { KEYFOLD_STORE: 'postgres' }, 'KEYFOLD_STORE: must be sqlite or mongodb'],
    ['MongoDB without a URI', { KEYFOLD_STORE: 'mongodb' }, 'KEYFOLD_MONGODB_URI: is required'],
    ['a URI without a database', { KEYFOLD_MONGODB_URI: 'mongodb://127.0.0.1' }, 'must name a database'],
    ['a missing folder', { KEYFOLD_DATA_DIR: '/missing/keyfold' }, 'KEYFOLD_DATA_DIR: no folder'],
  ])('when they name %s', async (_, env, text) => {
    const { status, out, err } = await keyfoldHere(env, 'verify');
    expect({ status, out }).toEqual({ status: 78, out: '' });
    expect(err).toContain(text);
  });

  it.each(['topology diff', 'queue list', 'feed replay --queue late'])(
    'if %s has no address of RabbitMQ',
    async (line) => {
      const { status, err } = await keyfoldHere({ KEYFOLD_STORE: 'nonsense' }, ...line.split(' '));
      expect(status).toBe(78);
      expect(err).toContain('KEYFOLD_RABBITMQ_URL: is required');
    },
  );

  it.each([
    ['account set-password admin', 'set a password'],
    ['account create ann', 'create an account'],
    ['secrets reseal', 'reseal secrets'],
    ['settings get token --reveal', 'reveal secrets'],
  ])('if %s on MongoDB lacks the sealing key, before anything is asked', async (line, task) => {
    const { status, out, err } = await keyfoldHere({ KEYFOLD_MONGODB_URI: UNREACHABLE }, ...line.split(' '));
    expect({ status, out }).toEqual({ status: 78, out: '' });
    expect(err).toContain(`KEYFOLD_SEALING_KEY: is required to ${task} on MongoDB`);
  });

  it('if the folder contains no database, and none is created', async () => {
    const folder = temporaryFolder();
    const { status, err } = await keyfold({ KEYFOLD_DATA_DIR: folder }, 'migrate');
    expect(status).toBe(78);
    expect(err).toContain(`no database in ${folder}`);
  });
});

it('an outage of MongoDB is reported within a bounded time, with status 1', async () => {
  const { status, err } = await keyfold({ KEYFOLD_MONGODB_URI: UNREACHABLE }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('MongoDB is not available');
});

it('a data folder whose socket path would be too long is refused with advice', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100));
  mkdirSync(folder);
  writeFileSync(join(folder, 'keyfold.db'), '');
  const { status, err } = await keyfoldHere({ KEYFOLD_DATA_DIR: folder }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('Set KEYFOLD_DATA_DIR to a shorter path');
});

/** Starts a server that accepts connections and never answers. */
async function silentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { server, sockets };
}

it('a command that is still connecting exits with 130 when interrupted, without waiting for the timeout', async () => {
  const { server, sockets } = await silentServer();
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const { child, result } = startKeyfold({ KEYFOLD_MONGODB_URI: `mongodb://127.0.0.1:${port}/keyfold` }, 'verify');
  await connected;
  child.kill('SIGINT');
  expect(await result).toEqual({ status: 130, out: '', err: '' });
  // The command accesses the server once more after the timeout.
  expect(sockets).toHaveLength(1);
});
