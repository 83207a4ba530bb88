import { request, type IncomingHttpHeaders } from 'node:http';

const ANSWER_MS = 30_000;

/** A request: the path includes the query, header names are lower case, and an object is sent as JSON. */
export interface Call {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | object | undefined;
}

/** A raw answer, with accessors for its envelope (wire contract 1.1). */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly text: string,
  ) {}

  /** Returns the parsed body. Throws with the body if it is not JSON. */
  get json(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      throw new Error(`HTTP ${this.status} without JSON: ${this.text.slice(0, 300)}`);
    }
  }

  /** Whether the body is an envelope, and not a text such as `pong`. */
  get hasEnvelope(): boolean {
    return String(this.headers['content-type']).startsWith('application/json');
  }

  get code(): number {
    return this.#envelope.code;
  }

  /** Returns code and message in one string, such as `401 token is invalidated`. */
  get outcome(): string {
    return `${this.code} ${this.#envelope.message}`;
  }

  /** Returns the data of the envelope, unchecked against `Data`. Throws if the answer is a refusal. */
  data<Data = unknown>(): Data {
    if (this.code !== 200) throw new Error(`refused: HTTP ${this.status}, ${this.outcome}`);
    return this.#envelope.data as Data;
  }

  /** Another body than an envelope is a success. */
  get #envelope(): { code: number; message: string; data: unknown } {
    if (!this.hasEnvelope) return { code: this.status, message: this.text, data: this.text };
    return this.json as { code: number; message: string; data: unknown };
  }
}

/** A client of one server. Each request opens its own connection, so the client survives restarts of the server. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Returns a copy that adds these headers to every request. */
  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.baseUrl, { ...this.headers, ...headers });
  }

  /** Returns a copy with this `Authorization` header. */
  as(token: string): ApiClient {
    return this.with({ authorization: token });
  }

  /** Returns a copy with this client address. The server must trust 127.0.0.1 as a proxy. */
  from(address: string): ApiClient {
    return this.with({ 'x-forwarded-for': address });
  }

  /** Returns the `Authorization` header of this client. */
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

  /** Logs in and returns a client with the new token. Throws if the login is refused. */
  async signedIn(username: string, password: string, code?: string): Promise<ApiClient> {
    const { token } = (await this.logIn(username, password, code)).data<{ token: string }>();
    return this.as(token);
  }

  /** Sends one request and reads the complete answer. Throws if the connection breaks or 30 s pass. */
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
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} timed out after ${ANSWER_MS} ms`)));
      sent.on('error', reject);
      sent.end(bytes);
    });
  }
}
