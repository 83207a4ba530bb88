import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitConnections } from './connection-limit.js';
import type { Health } from './health.js';
import type { Metrics } from './metrics/metrics.js';
import { version } from './service-version.js';
import { UnusableAddress } from './settings/read-settings.js';

/** Maximum number of connections: some for each prober and scraper. */
export const CONNECTIONS = 256;

const ADDRESS_SETTINGS = { host: 'KEYFOLD_MANAGEMENT_HOST', port: 'KEYFOLD_MANAGEMENT_PORT' };

/**
 * Serves the management port during the whole life of the process: `/health/live` answers while the event loop runs, `/health/ready`
 * says whether the process can work, and `/metrics` exposes its metrics. Three routes need no framework.
 */
export class ManagementServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Opens the port; 0 stands for any free port. Throws `UnusableAddress`. */
  static async open(host: string, port: number, health: Health, metrics: Metrics): Promise<ManagementServer> {
    const server = createServer((request, response) => {
      // A failed request must not end the process.
      void answer(request, response, health, metrics).catch((error: unknown) =>
        send(response, 500, { status: String(error) }),
      );
    });
    limitConnections(server, CONNECTIONS);
    try {
      await once(server.listen(port, host), 'listening');
    } catch (error) {
      throw new UnusableAddress(host, port, ADDRESS_SETTINGS, error as Error);
    }
    return new ManagementServer(server, boundUrl(server));
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** Returns the URL of the address that a server is bound to, even if that stands for all addresses. */
export function boundUrl(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  health: Health,
  metrics: Metrics,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return send(response, 405, { status: 'only GET and HEAD are allowed' });
  }
  switch (request.url?.split('?', 1)[0]) {
    case '/health/live':
      return send(response, 200, { status: 'alive', version });
    case '/health/ready': {
      const readiness = await health.readiness();
      return send(response, readiness.status === 'ready' ? 200 : 503, readiness);
    }
    case '/metrics': {
      const { type, text } = await metrics.text();
      return sendText(response, 200, type, text);
    }
    default:
      return send(response, 404, { status: 'not found: use /health/live, /health/ready or /metrics' });
  }
}

const send = (response: ServerResponse, status: number, body: object) =>
  sendText(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response
    .writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' })
    .end(text);
}
