import type { EnvelopeFilter } from '@keyfold/http-envelope';
import { OpenListUnavailable } from '@keyfold/openlist';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { requestHeaders } from './exchange/forwarded-headers.js';
import { upgrade, type Upgrading } from './exchange/upgrade.js';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import type { Identities } from './identity.js';
import { faultOf } from './refusal-answer.js';

/** Returns whether a request asks for another protocol than HTTP: over HTTP/2, its client could send OpenList requests that nobody reads here. */
export const asksForProtocol = ({ headers: { upgrade: protocol } }: IncomingMessage): boolean =>
  protocol !== undefined && /^(?!h2|http|tls)[\w-]+$/i.test(protocol);

/** Forwards the requests whose clients continue in another protocol, such as WebSocket. */
export class Upgrades {
  constructor(
    private readonly url: string,
    private readonly identities: Identities,
    private readonly filter: EnvelopeFilter,
  ) {}

  async forward(upgrading: Upgrading, request: ForwardedRequest, row: ForwardedRow): Promise<void> {
    try {
      const { authorization } = await this.identities.of(request, row);
      const headers = requestHeaders(request.raw, request.sender(authorization));
      await upgrade(upgrading, this.url, headers).catch((cause: unknown) => {
        throw new OpenListUnavailable('OpenList cannot be reached', { cause });
      });
    } catch (error) {
      await this.#refuse(upgrading, request, error);
    }
  }

  async #refuse({ socket }: Upgrading, request: ForwardedRequest, error: unknown): Promise<void> {
    const answer = this.filter.answerTo(faultOf(error, false), request);
    const body = await answer.body;
    const headers = { ...answer.headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${body}`);
  }
}
