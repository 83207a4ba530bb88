import type { Caller } from '@keyfold/application';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set by a caller guard. */
    caller?: Caller;
    /** The `Content-Type` that the client sent, from before the server replaced it. */
    sentContentType?: string;
    /** The client's IP address, computed on access by `ClientAddress`. */
    readonly clientAddress: string;
  }
}

/** A request as the controllers see it: the body is still unparsed. */
export type KeyfoldRequest = FastifyRequest<{ Body: Buffer | undefined }>;
