import type { Origin } from '@keyfold/application';
import type { FailedRequest } from '@keyfold/http-envelope';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { lastOf, type ClientAddress } from '../request/client-address.js';
import { originOf } from '../request/request-reading.js';
import type { Sender } from './exchange/forwarded-headers.js';

/** A request that does not reach Fastify, with what the rest of the service reads of a request. */
export class ForwardedRequest implements FailedRequest {
  readonly id = randomUUID();
  readonly method: string;
  readonly url: string;
  #address: string | undefined;

  constructor(
    readonly raw: IncomingMessage,
    private readonly addresses: ClientAddress,
  ) {
    this.method = raw.method!;
    this.url = raw.url!;
  }

  get headers(): IncomingMessage['headers'] {
    return this.raw.headers;
  }

  get clientAddress(): string {
    return (this.#address ??= this.addresses.of(this));
  }

  /** The scheme of the connection. */
  get protocol(): 'http' | 'https' {
    return (this.raw.socket as Partial<TLSSocket>).encrypted ? 'https' : 'http';
  }

  /** Returns the source of the request, for the security log. */
  readonly origin = (): Origin => originOf(this);

  /** Returns what OpenList learns about the client. Only a trusted proxy is believed. */
  sender(authorization: string | undefined): Sender {
    const { headers, clientAddress: address } = this;
    const isProxied = this.addresses.isProxied(this);
    const protocol = isProxied ? lastOf(headers['x-forwarded-proto']) : undefined;
    const host = isProxied ? lastOf(headers['x-forwarded-host']) : undefined;
    return {
      authorization,
      address,
      protocol: protocol === 'https' || protocol === 'http' ? protocol : this.protocol,
      host,
    };
  }
}
