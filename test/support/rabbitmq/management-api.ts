/** Calls the management API of a RabbitMQ. Throws on every answer that is not a success. */
export type ManagementApi = <Answer>(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  timeout?: number,
) => Promise<Answer | undefined>;

const TIMEOUT = 20_000;

/** Creates a client; `url` contains user and password, paths start after `/api`. */
export function managementApi(url: string): ManagementApi {
  const { origin, username, password } = new URL(url);
  const authorization = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  return async <Answer>(method: string, path: string, body?: unknown, timeout = TIMEOUT) => {
    const answer = await fetch(`${origin}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} /api${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as Answer);
  };
}
