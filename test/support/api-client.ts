import { request, type IncomingHttpHeaders } from 'node:http';

const ANSWER_MS = 30_000;

/** What goes out: a path with its query, headers in lower case; an object becomes a JSON body. */
export interface Call {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | object | undefined;
}

/** An answer as it came in, and what its envelope says (wire contract 1.1). */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly text: string,
  ) {}

  /** The body as JSON. Throws with the body when it is none. */
  get json(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      throw new Error(`HTTP ${this.status} without JSON: ${this.text.slice(0, 300)}`);
    }
  }

  get code(): number {
    return this.#envelope.code;
  }

  /** Code and message in one text, such as `401 token is invalidated`. */
  get outcome(): string {
    return `${this.code} ${this.#envelope.message}`;
  }

  /** What the answer carries; its type is the caller's word. Throws when the answer is a refusal. */
  data<Data = unknown>(): Data {
    if (this.code !== 200) throw new Error(`refused: HTTP ${this.status}, ${this.outcome}`);
    return this.#envelope.data as Data;
  }

  get #envelope(): { code: number; message: string; data: unknown } {
    return this.json as { code: number; message: string; data: unknown };
  }
}

/** Speaks to one server; each request on a connection of its own, so that a restart of the server is not noticed. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The same client with more headers in every request. */
  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.baseUrl, { ...this.headers, ...headers });
  }

  /** The same client with this `Authorization` header. */
  as(token: string): ApiClient {
    return this.with({ authorization: token });
  }

  /** The same client from another address, for a server that trusts 127.0.0.1 as a proxy. */
  from(address: string): ApiClient {
    return this.with({ 'x-forwarded-for': address });
  }

  /** The `Authorization` header of this client. */
  get token(): string {
    return this.headers['authorization'] ?? '';
  }

  get(path: string): Promise<Answer> {
    return this.send({ path });
  }

  post(path: string, body?: object): Promise<Answer> {
    return this.send({ method: 'POST', path, body });
  }

  logIn(username: string, password: string, otp_code = ''): Promise<Answer> {
    return this.post('/api/auth/login', { username, password, otp_code });
  }

  /** Logs in and speaks as that account from then on. Throws when the login is refused. */
  async signedIn(username: string, password: string, code?: string): Promise<ApiClient> {
    const { token } = (await this.logIn(username, password, code)).data<{ token: string }>();
    return this.as(token);
  }

  /** Sends one request and reads its whole answer; throws when the connection breaks or 30 s pass. */
  send({ method = 'GET', path, headers = {}, body }: Call): Promise<Answer> {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
    const bytes = isJson ? JSON.stringify(body) : body;
    const all = { ...(isJson && { 'content-type': 'application/json' }), ...this.headers, ...headers };
    const length = bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const options = { hostname, port, method, path, headers: { ...length, ...all }, agent: false };
      const sent = request({ ...options, timeout: ANSWER_MS }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        answer.on('end', () =>
          resolve(new Answer(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks).toString('utf8'))),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} had no answer in ${ANSWER_MS} ms`)));
      sent.on('error', reject);
      sent.end(bytes);
    });
  }
}
