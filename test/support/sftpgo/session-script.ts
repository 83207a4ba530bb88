import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { needs } from '../needs.js';

await needs('curl', 'jq', 'dash');

const SCRIPT = join(resolve(import.meta.dirname, '../../..'), 'deploy/sftpgo/keyfold-sftpgo-sessions');

/** The addresses that the script asks, and its secrets. */
export type SessionScriptSettings = Readonly<{
  keyfold: string;
  token: string;
  sftpgo: string;
  apiKey: string;
  localUsers?: string;
}>;

/** Runs the script that closes sessions once, with dash, as systemd does. */
export async function closeSessions(
  folder: string,
  settings: SessionScriptSettings,
): Promise<Readonly<{ status: number; output: string; errors: string }>> {
  const files = await mkdtemp(join(folder, 'headers-'));
  const [keyfoldHeader, sftpgoHeader] = [join(files, 'keyfold'), join(files, 'sftpgo')];
  await writeFile(keyfoldHeader, `Authorization: Bearer ${settings.token}\n`);
  await writeFile(sftpgoHeader, `X-SFTPGO-API-KEY: ${settings.apiKey}\n`);
  const env = {
    PATH: process.env['PATH'],
    KEYFOLD_SERVERS_URL: settings.keyfold,
    SFTPGO_URL: settings.sftpgo,
    KEYFOLD_HEADER_FILE: keyfoldHeader,
    SFTPGO_HEADER_FILE: sftpgoHeader,
    ...(settings.localUsers !== undefined && { SFTPGO_LOCAL_USERS: settings.localUsers }),
  };
  const child = spawn('dash', [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.errors += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number];
  return { status, ...texts };
}
