import { describe, expect, it } from 'vitest';
import { SFTPGO_NAMES } from '../../../../test/support/sftpgo/sftpgo-names.js';
import {
  homeOf,
  isNameForSftpgo,
  lockedOutUser,
  mayTransfer,
  protocolOfLogin,
  protocolOfSession,
  sftpgoUser,
} from './sftpgo-user.js';

const bits = (...each: number[]) => each.reduce((sum, bit) => sum | (1 << bit), 0);
const ALL_OPERATIONS = [3, 4, 5, 6, 7];

describe('the home folder', () => {
  it.each([
    ['/', '/srv/files'],
    ['/team', '/srv/files/team'],
    ['/team/a b', '/srv/files/team/a b'],
    ['/..team', '/srv/files/..team'],
    ['/.../x', '/srv/files/.../x'],
    ['/%2e%2e/x', '/srv/files/%2e%2e/x'],
    ['/~root', '/srv/files/~root'],
    ['team/', '/srv/files/team'],
    ['/a/../b', '/srv/files/b'],
  ])('of the base path %s is %s', (basePath, home) => {
    expect(homeOf('/srv/files', basePath)).toBe(home);
  });

  it.each(['/..', '/../x', '/../files2', '../../etc', '/a/../../..', '/a\0/b', '/\0'])(
    'does not exist for the base path %j',
    (basePath) => {
      expect(homeOf('/srv/files', basePath)).toBeUndefined();
    },
  );
});

it.each(SFTPGO_NAMES)('that SFTPGo accepts the name %j is %j', (name, isAccepted) => {
  expect(isNameForSftpgo(name)).toBe(isAccepted);
});

describe('the permissions', () => {
  const permissionsOf = (permission: number, protocol: 'sftp' | 'webdav' | 'ftp') =>
    sftpgoUser({ username: 'ann', permission }, '/srv/files', protocol).permissions['/'];

  it.each([
    ['sftp', 10],
    ['ftp', 10],
    ['webdav', 8],
  ] as const)('over %s with bit %i alone are to list and to download', (protocol, bit) => {
    expect(permissionsOf(bits(bit, ...ALL_OPERATIONS), protocol)).toEqual(['list', 'download']);
  });

  it.each([
    [[3], ['upload', 'overwrite', 'create_dirs', 'chtimes']],
    [[4], []],
    [[5], []],
    [[4, 5], ['rename']],
    [[6], ['copy']],
    [[7], ['delete']],
    [ALL_OPERATIONS, ['upload', 'overwrite', 'create_dirs', 'chtimes', 'rename', 'copy', 'delete']],
  ])('with the bit to write and the bits %j also are %j', (operations, more) => {
    const sftp = permissionsOf(bits(10, 11, ...operations), 'sftp');
    expect(sftp).toEqual(['list', 'download', ...more]);
    expect(permissionsOf(bits(10, 11, ...operations), 'ftp')).toEqual(sftp);
    expect(permissionsOf(bits(8, 9, ...operations), 'webdav')).toEqual(sftp);
  });

  it('do not include to write with the bit of another protocol', () => {
    expect(permissionsOf(bits(8, 10, 11, ...ALL_OPERATIONS), 'webdav')).toEqual(['list', 'download']);
    expect(permissionsOf(bits(8, 9, 10, ...ALL_OPERATIONS), 'sftp')).toEqual(['list', 'download']);
  });

  it('never include links, modes, owners or everything', () => {
    for (const protocol of ['sftp', 'ftp', 'webdav'] as const)
      for (const forbidden of ['*', 'create_symlinks', 'chmod', 'chown'])
        expect(permissionsOf(-1, protocol)).not.toContain(forbidden);
  });
});

it.each([
  [bits(8, 10), ['HTTP']],
  [bits(8), ['SSH', 'FTP', 'HTTP']],
  [bits(10), ['DAV', 'HTTP']],
])('a user with the permission %i cannot use the protocols %j, nor a certificate', (permission, denied) => {
  const protocol = permission & bits(10) ? 'sftp' : 'webdav';
  expect(sftpgoUser({ username: 'ann', permission }, '/srv/files/ann', protocol)).toMatchObject({
    status: 1,
    username: 'ann',
    home_dir: '/srv/files/ann',
    filters: { denied_protocols: denied, denied_login_methods: ['TLSCertificate', 'TLSCertificate+password'] },
  });
});

describe('a transfer', () => {
  const UPLOADS = bits(8, 9, 10, 11, 3);
  it.each(['SFTP', 'SCP', 'SSH', 'FTP', 'DAV'])('over %s needs the permissions that a login would get', (protocol) => {
    const [logIn, write] = protocol === 'DAV' ? [bits(8), bits(9)] : [bits(10), bits(11)];
    expect(mayTransfer('pre-download', protocol, logIn)).toBe(true);
    expect(mayTransfer('pre-download', protocol, -1 & ~logIn)).toBe(false);
    expect(mayTransfer('pre-upload', protocol, logIn | write | bits(3))).toBe(true);
    for (const missing of [logIn, write, bits(3)])
      expect(mayTransfer('pre-upload', protocol, UPLOADS & ~missing)).toBe(false);
  });

  it.each(['HTTP', 'HTTPShare', 'OIDC', ''])('over %j is denied', (protocol) => {
    expect(mayTransfer('pre-download', protocol, -1)).toBe(false);
  });
});

it('a user who is locked out is disabled', () => {
  expect(lockedOutUser('nobody', '/srv/files')).toMatchObject({ status: 0, username: 'nobody' });
});

it('the protocols of logins and sessions are those of permission bits, and never the web client', () => {
  const names = ['SSH', 'FTP', 'DAV', 'HTTP', 'SFTP', 'SCP', 'sftp', ''];
  const [none] = [undefined];
  expect(names.map(protocolOfLogin)).toEqual(['sftp', 'ftp', 'webdav', none, none, none, none, none]);
  expect(names.map(protocolOfSession)).toEqual(['sftp', 'ftp', 'webdav', none, 'sftp', 'sftp', none, none]);
});
