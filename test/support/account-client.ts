import { Agent, request } from 'node:http';

/** The envelope of an answer. */
export type Envelope = Readonly<{ code: number; message: string; data: unknown }>;
/** A key as a list shows it. */
export type ListedKey = Readonly<{ id: number; title: string; fingerprint: string }>;

const ANSWER_MS = 30_000;
/** A load balancer answers 502 if a gateway ends during a request, and 504 if it takes too long. */
const OUTCOME_UNKNOWN = [502, 503, 504];

/**
 * A client of one server with keep-alive connections. A request without a complete answer resolves with `undefined`. So
 * do 502, 503 and 504, because the client cannot know whether the server carried out the request.
 */
export class AccountClient {
  /** Counts these answers; `ignored` lists the requests that timed out on an open connection. */
  unavailable = 0;
  readonly ignored: string[] = [];
  readonly #agent: Agent;

  constructor(
    private readonly baseUrl: string,
    connections: number,
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async login(username: string, password: string): Promise<string | undefined> {
    const answer = await this.send('POST', '/api/auth/login', undefined, { username, password });
    if (answer && answer.code !== 200) throw new Error(`login of ${username}: ${answer.code} ${answer.message}`);
    return answer && (answer.data as { token: string }).token;
  }

  addKey(token: string, title: string, key: string): Promise<Envelope | undefined> {
    return this.send('POST', '/api/me/sshkey/add', token, { title, key });
  }

  removeKey(token: string, id: number): Promise<Envelope | undefined> {
    return this.send('POST', `/api/me/sshkey/delete?id=${id}`, token);
  }

  /** Returns the data of a request. Throws if the request fails. */
  async get<Data>(path: string, token: string): Promise<Data> {
    const answer = await this.send('GET', path, token);
    if (answer?.code !== 200) throw new Error(`GET ${path}: ${answer ? answer.message : 'no answer'}`);
    return answer.data as Data;
  }

  send(method: string, path: string, token?: string, body?: object): Promise<Envelope | undefined> {
    const headers = {
      ...(token === undefined ? {} : { authorization: token }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    return new Promise((resolve) => {
      const options = { method, headers, agent: this.#agent, timeout: ANSWER_MS };
      const sent = request(this.baseUrl + path, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          const isUnknown = OUTCOME_UNKNOWN.includes(response.statusCode ?? 0);
          if (isUnknown) this.unavailable++;
          resolve(isUnknown ? undefined : (JSON.parse(text) as Envelope));
        });
        response.on('error', () => resolve(undefined));
      });
      sent.on('timeout', () => {
        this.ignored.push(`${method} ${path} timed out after ${ANSWER_MS} ms`);
        sent.destroy();
      });
      sent.on('error', () => resolve(undefined));
      sent.end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
