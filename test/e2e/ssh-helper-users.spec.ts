import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { keyLine } from '../support/key-line.js';
import { HelperSetup, sharedHelper } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
/** The shared user. Only root can give folders to another user than itself. */
const ID = process.getuid!() || 2901;
const OLD = 'old:*:2901:2901::/srv/sftp/old:/usr/sbin/nologin\n';

let helper: HelperSetup;
let passwd: string;
let sftp: string;

beforeEach(async () => {
  helper = await HelperSetup.ofTest(program, ['http://127.0.0.1:1']);
  [passwd, sftp] = [join(helper.folder, 'passwd'), join(helper.folder, 'sftp')];
  await mkdir(sftp, { mode: 0o755 });
  await writeFile(passwd, OLD, { mode: 0o644 });
});

type Listed = readonly [username: string, basePath: string];
const lineOf = ([username, basePath]: Listed) => `${JSON.stringify({ id: 1, username, basePath, permission: 0 })}\n`;
const usersOf = (input: string, file = passwd, folder = sftp, id = String(ID)) =>
  helper.run(['users', file, folder, id], {}, undefined, input);
const usersFor = (...accounts: Listed[]) => usersOf(accounts.map(lineOf).join(''));
const line = (name: string, home: string) => `${name}:*:${ID}:${ID}::${join(sftp, home)}:/usr/sbin/nologin\n`;

describe('the list of accounts', () => {
  it('becomes a passwd file with a line for each, whose home is the base path below the folder of all files', async () => {
    const run = await usersFor(['ann', '/team/ann'], ['bob.b', '/'], ['Åsa', '/team']);
    expect(run).toMatchObject({ status: 0, out: `${passwd} has 3 users\n`, errors: '' });
    const text = line('ann', 'team/ann') + line('bob.b', '.') + line('Åsa', 'team');
    expect(await readFile(passwd, 'utf8')).toBe(text);
    expect((await stat(passwd)).mode & 0o777).toBe(0o644);
    for (const [path, mode, owner] of [
      ['team', 0o755, process.getuid!()],
      ['team/ann', 0o755, process.getuid!()],
      ['team/ann/files', 0o700, ID],
      ['files', 0o700, ID],
    ] as const)
      expect(await stat(join(sftp, path)), path).toMatchObject({ mode: 0o40000 | mode, uid: owner });
    // Again, with files.
    await writeFile(join(sftp, 'team/ann/files/mine'), 'kept');
    expect(await usersFor(['ann', '/team/ann'])).toMatchObject({ status: 0, errors: '' });
    expect(await readFile(passwd, 'utf8')).toBe(line('ann', 'team/ann'));
    expect(await readFile(join(sftp, 'team/ann/files/mine'), 'utf8')).toBe('kept');
    expect((await readdir(helper.folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each([
    ['evil\nroot', '/a'],
    ['root:x:0:0', '/a'],
    ['a b', '/a'],
    ['-a', '/a'],
    ['.', '/a'],
    ['root', '/a'],
    ['eve', '/a:/bin/sh'],
    ['eve', '/a\nb'],
    ['eve', '/a\u0000b'],
    ['eve', '/a\u2028b'],
    ['eve', '/../etc'],
    ['eve', '/a/..'],
    ['eve', '/a/./b'],
    ['eve', '/a//b'],
    ['eve', '/a/'],
    ['eve', '/files'],
    ['eve', '/ann/files/b'],
    ['eve', `/${'x'.repeat(256)}`],
    ['eve', `/${'x/'.repeat(256)}y`],
  ])('leaves out an account with the name %j and the base path %j, and no other', async (...account) => {
    const run = await usersFor(account, ['ann', '/ann']);
    expect(run).toMatchObject({ status: 0, out: `${passwd} has 1 users\n` });
    expect(run.errors).toMatch(/^keyfold-ssh: skipped account "[^\n]*": [^\n]+\n$/);
    expect(await readFile(passwd, 'utf8')).toBe(line('ann', 'ann'));
    expect(await readdir(sftp)).toEqual(['ann']);
  });

  it.each([
    ['is empty', '', 'no account can be a user'],
    ['has no usable account', lineOf(['a b', '/']), 'no account can be a user'],
    ['breaks off', `${lineOf(['ann', '/ann'])}{"username":"bo`, 'line 2 is not an account'],
    ['is an error message', 'cannot reach MongoDB\n', 'line 1 is not an account'],
    ['has an account without a base path', '{"username":"ann"}\n', 'line 1 is not an account'],
    ['repeats an account', lineOf(['ann', '/ann']).repeat(2), 'line 2 repeats the account "ann"'],
    ['has a line without an end', 'x'.repeat(2 << 20), 'token too long'],
    [
      'has more than 100,000 accounts',
      Array.from({ length: 100_001 }, (_, index) => lineOf([`a${index}`, '/'])).join(''),
      'more than 100000 accounts',
    ],
  ])('changes nothing if it %s', async (_case, input, reason) => {
    expect(await usersOf(input)).toMatchObject({ status: 1, out: '', errors: expect.stringContaining(reason) });
    expect([await readFile(passwd, 'utf8'), await readdir(sftp)]).toEqual([OLD, []]);
  });
});

describe('the folder of all files', () => {
  it('is left by no base path, also not through a link', async () => {
    const elsewhere = join(helper.folder, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, join(sftp, 'link'));
    await mkdir(join(sftp, 'bob'), { mode: 0o755 });
    await symlink(elsewhere, join(sftp, 'bob/files'));
    const run = await usersFor(['ann', '/link/ann'], ['eve', '/link'], ['bob', '/bob'], ['dan', '/dan']);
    expect(run.errors.match(/skipped account "\w+"/g)).toHaveLength(3);
    expect(await readFile(passwd, 'utf8')).toBe(line('dan', 'dan'));
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('must be of this user alone, like all folders between it and the files of an account', async () => {
    await mkdir(join(sftp, 'team'));
    await chmod(join(sftp, 'team'), 0o777);
    const skipped = await usersFor(['ann', '/team/ann'], ['bob', '/bob']);
    expect(skipped.errors).toContain(`other users can write to ${sftp}/team. Run: chmod go-w ${sftp}/team`);
    expect(await readFile(passwd, 'utf8')).toBe(line('bob', 'bob'));
    await chmod(sftp, 0o777);
    const refused = await usersFor(['bob', '/bob']);
    expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining(`other users can write to ${sftp}`) });
  });

  it.each(['a:b', 'a\nb'])('is not %j, because it could forge a line', async (name) => {
    const folder = join(helper.folder, name);
    await mkdir(folder);
    expect(await usersOf(lineOf(['ann', '/ann']), passwd, folder)).toMatchObject({ status: 1, out: '' });
    expect([await readFile(passwd, 'utf8'), await readdir(folder)]).toEqual([OLD, []]);
  });

  it.each(['sftp', '/no/such/folder'])('is not %j, which is relative or does not exist', async (folder) => {
    expect(await usersOf(lineOf(['ann', '/ann']), passwd, folder)).toMatchObject({ status: 1, out: '' });
    expect(await readFile(passwd, 'utf8')).toBe(OLD);
  });
});

it.each(['0', '499', '60001', '-2901', '2901x', '', '1e3'])('the shared user is not %j', async (id) => {
  const run = await usersOf(lineOf(['ann', '/ann']), passwd, sftp, id);
  expect(run).toMatchObject({ status: 1, errors: expect.stringContaining('expected an id from 500 to 60000') });
  expect(await readFile(passwd, 'utf8')).toBe(OLD);
});

it('the log of other runs is printed line by line where no syslog runs', async () => {
  const socket = join(helper.folder, 'log');
  await rm(socket, { force: true });
  const reader = spawn(program, ['log', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void reader.kill());
  let printed = '';
  reader.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await eventually(async () => expect((await stat(socket)).mode & 0o777).toBe(0o666));
  await helper.keys('a;id\nforged', keyLine('any').line);
  await helper.keys('b;id', keyLine('any').line);
  await eventually(() => expect(printed).toMatch(/refused user "a;id\\nforged".*\n.*refused user "b;id".*\n$/));
  expect(printed.split('\n')).toHaveLength(3);
});
