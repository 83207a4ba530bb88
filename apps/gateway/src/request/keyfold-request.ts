import type { Caller } from '@keyfold/application';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the request speaks for; set by the caller guard. */
    caller?: Caller;
    /** The Content-Type as it was sent; bodies are read by our own rules. */
    sentContentType?: string;
    /** Where the request comes from (`ClientAddress`); found out when it is asked for. */
    readonly clientAddress: string;
  }
}

export type KeyfoldRequest = FastifyRequest<{ Body: Buffer | undefined }>;
