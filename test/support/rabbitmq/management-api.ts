/** Asks the management API of a RabbitMQ; throws for every answer that is no success. */
export type ManagementApi = <Answer>(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  patience?: number,
) => Promise<Answer | undefined>;

const PATIENCE = 20_000;

/** `url` has user and password; paths begin behind `/api`. */
export function managementApi(url: string): ManagementApi {
  const { origin, username, password } = new URL(url);
  const authorization = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  return async <Answer>(method: string, path: string, body?: unknown, patience = PATIENCE) => {
    const answer = await fetch(`${origin}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patience),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} /api${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as Answer);
  };
}
