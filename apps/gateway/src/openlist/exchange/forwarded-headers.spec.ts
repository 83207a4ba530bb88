import { describe, expect, it } from 'vitest';
import { answerHeaders, requestHeaders } from './forwarded-headers.js';

const sender = { authorization: 'secret', address: '203.0.113.7', protocol: 'https', host: undefined };
const sent = (rawHeaders: string[], connection?: string) =>
  requestHeaders({ rawHeaders, headers: { connection } }, sender, 'mark');

describe('the headers of a request', () => {
  it('end with those of the sender', () => {
    expect(sent(['Host', 'h', 'Range', 'bytes=0-1'])).toEqual([
      'Host',
      'h',
      'Range',
      'bytes=0-1',
      'Authorization',
      'secret',
      'X-Forwarded-For',
      '203.0.113.7',
      'X-Forwarded-Proto',
      'https',
      'x-keyfold-forwarder',
      'mark',
    ]);
  });

  it('contain nothing of the client in their place, whatever its case', () => {
    const forged = [
      'AUTHORIZATION',
      'X-Forwarded-For',
      'x-real-ip',
      'Forwarded',
      'X-Forwarded-Host',
      'x-forwarded-proto',
      'x-keyfold-forwarder',
    ];
    expect(sent(forged.flatMap((name) => [name, 'forged']))).not.toContain('forged');
  });

  it('contain none of the connection, also those that it names', () => {
    const raw = [
      'Connection',
      'X-Own, te',
      'X-Own',
      '1',
      'TE',
      'trailers',
      'Transfer-Encoding',
      'chunked',
      'Expect',
      'x',
    ];
    expect(sent(raw, 'X-Own, te')).toEqual(sent([]));
  });

  it('keep Host and the length of the body, whatever Connection names', () => {
    expect(sent(['Host', 'h', 'Content-Length', '1'], 'host, content-length, authorization')).toEqual([
      'Host',
      'h',
      'Content-Length',
      '1',
      ...sent([]),
    ]);
  });
});

describe('the headers of an answer', () => {
  const open = { hstsSeconds: 0, isPrivate: false };
  const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));

  it('keep their bytes and their repetitions', () => {
    expect(answerHeaders(bytes('Set-Cookie', 'a', 'Set-Cookie', 'b', 'X-Name', 'caf\xe9'), open)).toEqual([
      'Set-Cookie',
      'a',
      'Set-Cookie',
      'b',
      'X-Name',
      'caf\xe9',
    ]);
  });

  it('lose those of the connection, and have our HSTS if there is one', () => {
    const raw = bytes('Connection', 'close', 'Strict-Transport-Security', 'max-age=1', 'Keep-Alive', '5');
    expect(answerHeaders(raw, { ...open, hstsSeconds: 60 })).toEqual(['Strict-Transport-Security', 'max-age=60']);
    expect(answerHeaders(raw, open)).toEqual(['Strict-Transport-Security', 'max-age=1']);
  });

  it('let no cache keep an answer that depends on the caller, whatever OpenList or a storage provider says', () => {
    const names = ['Cache-Control', 'cdn-cache-control', 'Surrogate-Control', 'X-Accel-Expires', 'Expires', 'Pragma'];
    const others = ['ETag', '"a"', 'Vary', 'Origin'];
    const raw = bytes(...names.flatMap((name) => [name, 'public, max-age=60']), ...others);
    expect(answerHeaders(raw, open)).toHaveLength(raw.length);
    expect(answerHeaders(raw, { ...open, isPrivate: true })).toEqual([
      ...others,
      'Cache-Control',
      'no-store',
      'Vary',
      'Authorization',
    ]);
  });
});
