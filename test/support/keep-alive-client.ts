import { Agent, request } from 'node:http';

/** How a client fared. */
export type Visit = Readonly<{
  answers: number;
  /** Answers that asked it to leave the connection. */
  farewells: number;
  /** Requests without a good answer, but the one that found no server any more. */
  lost: readonly string[];
}>;

export type Call = Readonly<{ method: string; path: string; headers?: Record<string, string>; body?: string }>;
type Answer = Readonly<{ status: number; body: string; farewell: boolean }>;

/** A new connection was refused, or closed before anything came back: nobody serves any more. */
class NoServer extends Error {}

/** Sends request after request on one connection, a new one when it is asked to leave, until nobody takes a new one. */
export async function visitUntilGone(baseUrl: string, next: (turn: number) => Call): Promise<Visit> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const lost: string[] = [];
  let answers = 0;
  let farewells = 0;
  try {
    for (;;) {
      const answer = await ask(agent, baseUrl, next(answers)).catch((error: Error) => error);
      if (answer instanceof NoServer) return { answers, farewells, lost };
      if (answer instanceof Error) lost.push(answer.message);
      else if (answer.status !== 200 || !answer.body.startsWith('{"code":200,')) lost.push(answer.body);
      else answers++;
      if (!(answer instanceof Error) && answer.farewell) farewells++;
    }
  } finally {
    agent.destroy();
  }
}

function ask(agent: Agent, baseUrl: string, { path, body, ...options }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { agent, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, farewell: response.headers.connection === 'close' }),
      );
    });
    sent.on('error', (error) => reject(sent.reusedSocket ? error : new NoServer(error.message)));
    sent.end(body);
  });
}
