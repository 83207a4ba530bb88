import type { EnvelopeFilter, FailureAnswer } from '@keyfold/http-envelope';
import { OpenListUnavailable, type OpenListApi } from '@keyfold/openlist';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './exchange/forwarded-body.js';
import { requestHeaders } from './exchange/forwarded-headers.js';
import { holdNothing, holdTokenRefusals, tokenNotTaken } from './exchange/refused-token.js';
import type { Upgrade } from './exchange/upgrade.js';
import type { ForwardedRequest } from './forwarded-request.js';
import { outcomeOf, type ForwardingCounts } from './forwarding-counts.js';
import type { ForwardedRow } from './forwarding-table.js';
import type { Identities, Identity } from './identity.js';
import { refusalAnswer } from './refusal-answer.js';

/**
 * Returns whether a request asks for another protocol than HTTP: over HTTP/2, its client could send OpenList requests that nobody reads here. A body would
 * be read as the other protocol.
 */
export const asksForProtocol = (request: IncomingMessage): boolean =>
  /^(?!h2|http|tls)[\w-]+$/i.test(request.headers.upgrade ?? '') && request.method === 'GET' && !hasBody(request);

/** Forwards the requests whose clients continue in another protocol, such as WebSocket. */
export class Upgrades {
  readonly #open = new Set<Upgrade>();
  #isClosed = false;

  constructor(
    private readonly settings: Readonly<{ url: string; hstsSeconds: number }>,
    private readonly api: Pick<OpenListApi, 'availability' | 'forwarder'>,
    private readonly identities: Pick<Identities, 'of' | 'renewed'>,
    private readonly counts: ForwardingCounts,
    private readonly reportStaticToken: () => void,
  ) {}

  async forward(upgrade: Upgrade, request: ForwardedRequest, row: ForwardedRow, filter: EnvelopeFilter): Promise<void> {
    const { socket } = upgrade;
    if (this.#isClosed) return upgrade.destroy();
    this.#open.add(upgrade);
    socket.once('close', () => this.#open.delete(upgrade));
    try {
      this.api.availability.requireAnswers();
      const identity = await this.identities.of(request, row);
      if (!(await this.#send(upgrade, request, identity))) {
        if (identity.secret === 'static token') {
          this.reportStaticToken();
          throw tokenNotTaken();
        }
        const renewed = await this.identities.renewed(identity, request, row);
        this.counts.repeated();
        if (!(await this.#send(upgrade, request, renewed))) throw tokenNotTaken();
      }
      this.counts.ended('answered');
    } catch (error) {
      if (socket.destroyed) return this.counts.ended('aborted');
      this.counts.ended(outcomeOf(error));
      await refuse(socket, refusalAnswer({ request, row }, error, filter, this.settings.hstsSeconds));
    }
  }

  #send(upgrade: Upgrade, request: ForwardedRequest, { authorization, secret }: Identity): Promise<boolean> {
    const headers = requestHeaders(request.raw, request.sender(authorization), this.api.forwarder);
    const holding = secret === undefined ? holdNothing : holdTokenRefusals;
    return upgrade.send(this.settings.url, headers, holding).catch((cause: unknown) => {
      throw new OpenListUnavailable('OpenList cannot be reached', { cause });
    });
  }

  /** Ends all connections, because nothing else would. */
  close(): void {
    this.#isClosed = true;
    for (const upgrade of this.#open) upgrade.destroy();
  }
}

async function refuse(socket: Socket, answer: FailureAnswer): Promise<void> {
  const body = await answer.body;
  const headers = { ...answer.headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${body}`);
}
