import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from './needs.js';

await needs('openssl');

/** Paths of PEM files. Clients must trust `authority`; `combined` contains the server's certificate and key. */
export type PrivateCa = Readonly<{
  authority: string;
  certificate: string;
  key: string;
  combined: string;
  /** Removes the files. */
  dispose(): void;
}>;

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];

/** Creates a private certificate authority and a server certificate for 127.0.0.1. Requires `openssl`. */
export function newPrivateCa(): PrivateCa {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-ca-'));
  const [authority, authorityKey, certificate, key, combined] = [
    'ca.pem',
    'ca.key',
    'server.pem',
    'server.key',
    'both.pem',
  ].map((name) => join(folder, name)) as [string, string, string, string, string];
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const request = ['req', '-x509', ...NEW_KEY];
  openssl(...request, '-subj', '/CN=a private CA', '-keyout', authorityKey, '-out', authority);
  const signing = ['-CA', authority, '-CAkey', authorityKey, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  openssl(...request, '-subj', '/CN=a server', ...signing, ...leaf, '-keyout', key, '-out', certificate);
  writeFileSync(combined, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
  return { authority, certificate, key, combined, dispose: () => rmSync(folder, { recursive: true }) };
}
