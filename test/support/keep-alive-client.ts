import { Agent, request } from 'node:http';

/** The results of a client. */
export type ClientResult = Readonly<{
  answers: number;
  /** The number of answers with `Connection: close`. */
  closes: number;
  /** Failed requests, except the last one, which found no server. */
  lost: readonly string[];
}>;

export type KeepAliveRequest = Readonly<{
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}>;
type Answer = Readonly<{ status: number; body: string; closes: boolean }>;

/** Thrown if a new connection is refused, or closed before an answer: the server is gone. */
class NoServer extends Error {}

/** Sends requests on one connection until no server accepts a new one. Reconnects when an answer asks for it. */
export async function requestUntilGone(
  baseUrl: string,
  next: (round: number) => KeepAliveRequest,
): Promise<ClientResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const lost: string[] = [];
  let answers = 0;
  let closes = 0;
  try {
    for (;;) {
      const answer = await ask(agent, baseUrl, next(answers)).catch((error: Error) => error);
      if (answer instanceof NoServer) return { answers, closes, lost };
      if (answer instanceof Error) lost.push(answer.message);
      else if (answer.status !== 200 || !answer.body.startsWith('{"code":200,')) lost.push(answer.body);
      else answers++;
      if (!(answer instanceof Error) && answer.closes) closes++;
    }
  } finally {
    agent.destroy();
  }
}

function ask(agent: Agent, baseUrl: string, { path, body, ...options }: KeepAliveRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { agent, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, closes: response.headers.connection === 'close' }),
      );
    });
    sent.on('error', (error) => reject(sent.reusedSocket ? error : new NoServer(error.message)));
    sent.end(body);
  });
}
