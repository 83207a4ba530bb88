import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The protocols that `deploy/rclone` has options for. */
export type RcloneProtocol = 'sftp' | 'webdav' | 'ftp';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy/rclone');
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

/** Returns the shipped configuration of the helper. */
export const shippedConfig = (): string => read('rclone.conf');

/** Returns the lines of the unit of a protocol. A line that ends with a backslash continues on the next one. */
export function unitLines(protocol: RcloneProtocol): string[] {
  return read('keyfold-rclone@.service')
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll('%i', protocol)
    .split('\n');
}

/** Returns the command of the unit of a protocol as words, with the options of its file. The first word is the program. */
export function startCommand(protocol: RcloneProtocol): string[] {
  const [, options = ''] = /^OPTIONS="(.*)"$/m.exec(read(`rclone-${protocol}.env`)) ?? [];
  const line = unitLines(protocol).find((each) => each.startsWith('ExecStart='))!;
  const command = line.slice('ExecStart='.length).replace('$OPTIONS', options);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}
