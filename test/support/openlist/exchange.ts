import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReceivedRequest } from './requests.js';
import type { User } from './user.js';

/** A refusal in OpenList's envelope, with HTTP status 200. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The callers that a route admits: `anyone` needs no token, `guest-too` admits even a disabled guest. */
export type Guard = 'anyone' | 'guest-too' | 'user' | 'no-guest' | 'admin';
/** Returns the `data` of the envelope, or throws a `Refusal`. */
type Answer = (exchange: Exchange) => unknown;
/** The routes of OpenList's API by `<method> <path>`. */
export type Routes = Readonly<Record<string, readonly [Guard, Answer]>>;

const LONGEST_JSON = 1 << 20;

/** One request and its answer. */
export class Exchange {
  private readonly url: URL;
  private awaitsContinue: boolean;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly record: ReceivedRequest,
  ) {
    this.awaitsContinue = this.header('expect') !== '';
    this.url = new URL(`http://double${request.url?.startsWith('/') ? request.url : '/'}`);
  }

  get method(): string {
    return this.request.method ?? '';
  }

  /** The decoded path. */
  get path(): string {
    return decodeURIComponent(this.url.pathname);
  }

  query(name: string): string {
    return this.url.searchParams.get(name) ?? '';
  }

  header(name: string): string {
    return this.request.headers[name]?.toString() ?? '';
  }

  /** The user that the guard of the route found. */
  get user(): User {
    if (!this.record.user) throw new Error('the route has no guard');
    return this.record.user;
  }

  /** The client as Gin sees it: OpenList trusts `X-Forwarded-For` from everybody. */
  get clientAddress(): string {
    const [first = ''] = this.header('x-forwarded-for').split(',');
    return first.trim() || this.header('x-real-ip') || (this.request.socket.remoteAddress ?? '');
  }

  /** The address under which the client reaches OpenList, for links in answers. */
  get publicOrigin(): string {
    const scheme = this.header('x-forwarded-proto') === 'https' ? 'https' : 'http';
    return `${scheme}://${this.header('x-forwarded-host') || this.header('host')}`;
  }

  /** The body. Only now a client that waits for `100 Continue` gets it. */
  body(): AsyncIterable<Buffer> {
    if (this.awaitsContinue) this.response.writeContinue();
    this.awaitsContinue = false;
    return this.request;
  }

  async json(): Promise<Readonly<Record<string, unknown>>> {
    const value = await this.jsonValue();
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    throw new Refusal(400, 'json: cannot unmarshal');
  }

  async jsonValue(): Promise<unknown> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.body()) {
      length += chunk.length;
      if (length > LONGEST_JSON) throw new Refusal(400, 'http: request body too large');
      chunks.push(chunk);
    }
    if (length === 0) throw new Refusal(400, 'EOF');
    try {
      return JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      throw new Refusal(400, 'invalid character in JSON');
    }
  }

  succeed(data: unknown = null): void {
    this.envelope(200, 'success', data);
  }

  refuse({ code, message }: Refusal): void {
    this.envelope(code, message, null);
  }

  send(status: number, type: string, text: string, headers: Readonly<Record<string, string>> = {}): void {
    const bytes = Buffer.from(text);
    const all = {
      ...(type !== '' && { 'content-type': type }),
      'content-length': bytes.length,
      // The body may or may not follow, so nothing else can.
      ...(this.awaitsContinue && { connection: 'close' }),
      ...headers,
    };
    this.response.writeHead(status, all).end(this.method === 'HEAD' ? undefined : bytes);
  }

  /** Answers with the page that OpenList shows instead of a download. */
  sendErrorPage(status: number, title: string, reason: string): void {
    const head = [
      '<meta charset="utf-8" />',
      '<meta name="viewport" content="width=device-width, initial-scale=1" />',
      '<meta name="color-scheme" content="dark light" />',
      '<meta name="robots" content="noindex" />',
      `<title>${status} ${title}</title>`,
    ];
    const body = [`<h1>${status} ${title}</h1>`, '<hr>', `<p>${reason}</p>`];
    const lines = (texts: readonly string[]) => texts.map((text) => `\t\t${text}\n`).join('');
    const page = `<!DOCTYPE html>\n<html lang="en">\n\t<head>\n${lines(head)}\t</head>\n\t<body>\n${lines(body)}\t</body>\n</html>`;
    this.send(status, 'text/html; charset=utf-8', page);
  }

  private envelope(code: number, message: string, data: unknown): void {
    this.send(200, 'application/json; charset=utf-8', goJson({ code, message, data }));
  }
}

/** Returns JSON as Go writes it: fit to stand in HTML. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
