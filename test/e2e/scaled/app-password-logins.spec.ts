import { afterAll, beforeAll, it } from 'vitest';
import { adminOf, createAccount, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { lastingPort } from '../../support/lasting-port.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { WEBDAV } from '../../support/openssh/file-servers.js';
import { loginToken } from '../../support/openssh/server-token.js';
import { ScaledService } from '../../support/scaled-service.js';
import { expectNoStaleLogins, ownerName } from '../../support/stale-reads/app-password-logins.js';

let service: ScaledService;
let servers: readonly [ApiClient, ApiClient];
let admin: ApiClient;

beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri(), { env: { KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' } });
  const ports = [await lastingPort(), await lastingPort()];
  for (const [index, port] of ports.entries()) {
    await service.gateway(index).stop();
    await service.gateway(index).start({ KEYFOLD_SERVERS_PORT: String(port) });
  }
  await service.untilReady();
  admin = await adminOf(service.api());
  const token = await loginToken(admin);
  const server = (port: number) => new ApiClient(`http://127.0.0.1:${port}`).as(`Bearer ${token}`);
  servers = [server(ports[0]!), server(ports[1]!)];
});
afterAll(() => service?.dispose());

async function signIn(account: number): Promise<[ApiClient, ApiClient]> {
  await createAccount(admin, ownerName(account), { permission: WEBDAV });
  return [await signedInAs(service.api(0), ownerName(account)), await signedInAs(service.api(1), ownerName(account))];
}

it('an app password works on every gateway from its creation on, and on none from its revocation on', () =>
  expectNoStaleLogins(signIn, servers));

it('this holds while every worker is down', async () => {
  await Promise.all(service.workers.map((worker) => worker.kill()));
  await expectNoStaleLogins(signIn, servers, 100);
});
