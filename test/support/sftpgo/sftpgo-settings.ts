import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = join(resolve(import.meta.dirname, '../../..'), 'deploy/sftpgo/env.d');
/** The configuration that operators install. */
export const SFTPGO_ENV = join(FOLDER, 'keyfold.env');
/** The configurations that operators may add: the question before transfers, and the protocols that SFTPGo turns off by default. */
export const SFTPGO_TRANSFERS_ENV = join(FOLDER, 'keyfold-transfers.env');
export const SFTPGO_WEBDAV_ENV = join(FOLDER, 'keyfold-webdav.env');
export const SFTPGO_FTP_ENV = join(FOLDER, 'keyfold-ftp.env');

/** The settings that SFTPGo reads from its environment. */
export type SftpgoSettings = Readonly<{
  authHook: string;
  authScope: number;
  promptHook: string;
  actionHook: string;
  actions: readonly string[];
  header: Readonly<{ key: string; value: string; url: string }>;
  /** In seconds. */
  timeout: number;
  passwordHash: 'bcrypt' | 'argon2id';
  /** Minutes that the locks of a WebDAV user last at most; 0 is forever. */
  webdavCache: number;
}>;

/** Parses a file of `env.d`: lines of `NAME=value` and comments. Within single quotes, nothing is escaped. Throws for any other line. */
export function readEnvFile(path: string): ReadonlyMap<string, string> {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name, quoted, bare] = /^(SFTPGO_[A-Z0-9_]+)=(?:'([^']*)'|([\w./,-]*))$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not a line of an environment file: ${line}`);
      return [name, quoted ?? bare ?? ''] as const;
    }),
  );
}

/** Returns the settings of all files after the changes that its guide asks for. */
export function sftpgoSettings(place: Readonly<{ keyfold: string; root: string; token: string }>): SftpgoSettings {
  const files = [SFTPGO_ENV, SFTPGO_TRANSFERS_ENV, SFTPGO_WEBDAV_ENV, SFTPGO_FTP_ENV];
  const env = new Map(files.flatMap((file) => [...readEnvFile(file)]));
  const value = (name: string) => {
    const found = env.get(`SFTPGO_${name}`);
    if (found === undefined) throw new Error(`no file sets SFTPGO_${name}`);
    return found
      .replace('http://127.0.0.1:5245', place.keyfold)
      .replace('/srv/files', place.root)
      .replace('kf_PASTE-THE-TOKEN-HERE', place.token);
  };
  return {
    authHook: value('DATA_PROVIDER__EXTERNAL_AUTH_HOOK'),
    authScope: Number(value('DATA_PROVIDER__EXTERNAL_AUTH_SCOPE')),
    promptHook: value('SFTPD__KEYBOARD_INTERACTIVE_AUTH_HOOK'),
    actionHook: value('COMMON__ACTIONS__HOOK'),
    actions: value('COMMON__ACTIONS__EXECUTE_ON').split(','),
    header: {
      key: value('HTTP__HEADERS__0__KEY'),
      value: value('HTTP__HEADERS__0__VALUE'),
      url: value('HTTP__HEADERS__0__URL'),
    },
    timeout: Number(value('HTTP__TIMEOUT')),
    passwordHash: value('DATA_PROVIDER__PASSWORD_HASHING__ALGO') as SftpgoSettings['passwordHash'],
    webdavCache: Number(value('WEBDAVD__CACHE__USERS__EXPIRATION_TIME')),
  };
}
