import { errorEnvelope } from '@keyfold/http-envelope';
import { hash } from 'node:crypto';

/** An answer to a file server. */
export type FileServerAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** An answer without a body: the report was received. */
export const received: FileServerAnswer = { status: 204, headers: {}, body: '' };

/** Creates a successful answer, or 304 if `ifNoneMatch` names its entity tag. */
export function revalidated(type: 'json' | 'text', body: string, ifNoneMatch = ''): FileServerAnswer {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  // Always revalidated, because a key may be removed at any time.
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  if (ifNoneMatch.split(',').some((tag) => tag.trim() === etag)) return { status: 304, headers, body: '' };
  const contentType = type === 'json' ? JSON_TYPE : 'text/plain; charset=utf-8';
  return { status: 200, headers: { ...headers, 'Content-Type': contentType }, body };
}

/** Creates a successful answer in JSON that nobody may store. */
export const unstored = (body: string): FileServerAnswer => ({
  status: 200,
  headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' },
  body,
});

/** Creates the answer to a request that is refused or fails, with its real status. */
export const failed = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): FileServerAnswer => ({
  status,
  headers: { ...headers, 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' },
  body: errorEnvelope(status, message),
});
