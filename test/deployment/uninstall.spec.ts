import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { blockOf } from '../support/guides.js';
import { needs } from '../support/needs.js';

await needs('Linux namespaces (run the tests as root)');

const FOLDERS = '/etc /opt /usr/local/bin /var/lib';
/** Files that a service, its operator and an upgrade create later. */
const USE = `mkdir -p /var/lib/keyfold /var/lib/keyfold-0.2.0 /etc/systemd/system/keyfold.service.d
touch /var/lib/keyfold/keyfold.db /etc/systemd/system/keyfold.service.d/override.conf`;

/** Returns a script that shows how a machine differs after the commands, whose folders are its own. */
const scriptOf = (commands: string) => `set -eu
cp -a /etc etc && mount --bind etc /etc
for folder in /opt /usr/local/bin /var/lib; do mount -t tmpfs tmpfs $folder; done
state() { find ${FOLDERS} ! -name '*-' ! -name '.pwd.lock' | sort; cat /etc/passwd /etc/group; }
state > before
${commands}
state > after
diff before after || true`;

/** Runs the commands on a machine without systemd, and returns how they change it. */
function changesOf(commands: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-uninstall-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = `keyfold-${manifest.version}-linux-x64`;
  for (const each of [name, 'programs']) mkdirSync(join(folder, each));
  for (const each of ['keyfold', 'keyfold.service']) writeFileSync(join(folder, name, each), '');
  execFileSync('tar', ['-czf', `${name}.tar.gz`, name], { cwd: folder });
  writeFileSync(join(folder, 'programs/systemctl'), '#!/bin/sh\n');
  chmodSync(join(folder, 'programs/systemctl'), 0o755);
  return execFileSync('unshare', ['--mount', 'sh', '-c', scriptOf(commands)], {
    cwd: folder,
    env: { PATH: `${folder}/programs:/usr/sbin:/usr/bin:/sbin:/bin` },
    encoding: 'utf8',
  });
}

it('the commands to uninstall remove all that those of the installation with systemd created', () => {
  const install = `${blockOf('run/install.md', 'systemd', 'sh')}\n${USE}`;
  expect(changesOf(install)).toContain('> /opt/keyfold\n');
  expect(changesOf(`${install}\n${blockOf('run/uninstall.md', 'systemd', 'sh')}`)).toBe('');
});
