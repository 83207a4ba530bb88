import { expect, it } from 'vitest';
import { unitProblems } from '../support/checkers/systemd.js';
import '../support/rclone/rclone-programs.js';
import { startCommand, unitLines } from '../support/rclone/rclone-unit.js';

const PROTOCOLS = ['sftp', 'webdav', 'ftp'] as const;

it('systemd accepts the unit of rclone', () => {
  const text = unitLines('sftp').join('\n');
  expect(unitProblems('keyfold-rclone@sftp.service', text)).toBe('');
  expect(unitProblems('keyfold-rclone@sftp.service', text.replace('ProtectHome=yes', 'ProtectHouse=yes'))).toContain(
    'ProtectHouse',
  );
});

it.each(PROTOCOLS)('rclone asks keyfold-ssh about each login over %s, and never follows symbolic links', (protocol) => {
  const command = startCommand(protocol);
  expect(command.slice(0, 4)).toEqual(['/usr/bin/rclone', 'serve', protocol, '--auth-proxy']);
  expect(command[4]).toBe(`/usr/local/libexec/keyfold-ssh -config /etc/keyfold/rclone.conf auth-proxy ${protocol}`);
  expect(command.filter((word) => /links|no-auth/.test(word))).toEqual([]);
});

it('rclone forgets logins after a day at most, and runs as a user of its own', () => {
  const lines = unitLines('sftp');
  expect(lines).toEqual(expect.arrayContaining(['RuntimeMaxSec=1d', 'Restart=always', 'User=keyfold-rclone']));
});
