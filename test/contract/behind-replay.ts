import { readFileSync } from 'node:fs';
import { WireClient } from './wire-client.js';

/** A request to OpenList v4.2.5 and its answer; random values stand as `<name>`. */
type RecordedExchange = Readonly<{
  note: string;
  request: Readonly<{
    method: string;
    path: string;
    headers?: Readonly<Record<string, string>>;
    json?: unknown;
    body?: string;
  }>;
  answer: Readonly<{
    status: number;
    headers: Readonly<Record<string, string>>;
    body?: string;
    /** The beginning of a body whose rest is not compared. */
    begins?: string;
  }>;
}>;

const PLACEHOLDER = /<(time|date|sign|base|files|[a-z]+ token|token of [a-z]+|[a-z]+:[a-z0-9-]+)>/;
const VARYING = ['time', 'date', 'sign'];
/** A body with one of these has another length than the recorded one. */
const OF_OTHER_LENGTH = /<(time|date|base)>/;

/** Returns what was recorded, in order. */
export function recordedExchanges(): readonly RecordedExchange[] {
  return JSON.parse(
    readFileSync(new URL('../support/openlist/behind.json', import.meta.url), 'utf8'),
  ) as RecordedExchange[];
}

/** Replays recorded exchanges against a server. A placeholder is bound by the first answer that contains it. */
export class BehindReplay {
  constructor(
    private readonly url: string,
    private readonly bound: Map<string, string>,
  ) {}

  /** Returns a sentence for each difference from the recorded answer. */
  async differences({ request, answer }: RecordedExchange): Promise<readonly string[]> {
    const body = request.json === undefined ? request.body : JSON.stringify(request.json);
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, this.filled(value)]);
    const client = new WireClient([this.url]);
    const received = await client.send({
      method: request.method,
      path: this.filled(request.path),
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: body === undefined ? undefined : Buffer.from(this.filled(body)),
    });
    client.close();
    const status = received.status === answer.status ? [] : [`status ${received.status}, not ${answer.status}`];
    const values = Object.entries(answer.headers).flatMap(([name, recorded]) => {
      const value = received.headers[name]?.toString();
      const fits = value !== undefined && headerFits(name, recorded, value, answer.body ?? '<time>');
      return fits ? [] : [`${name} ${value}, not ${recorded}`];
    });
    const fits = this.matches(answer, received.body);
    return [...status, ...values, ...(fits ? [] : [`body ${received.body}, not ${answer.body ?? answer.begins}`])];
  }

  private filled(text: string): string {
    const placeholders = new RegExp(PLACEHOLDER, 'g');
    return text.replace(placeholders, (_, name: string) => {
      return this.bound.get(name) ?? (name.includes(':') ? Buffer.from(name).toString('base64') : `any ${name}`);
    });
  }

  private matches({ body, begins = '' }: RecordedExchange['answer'], received: string): boolean {
    const template = body ?? begins;
    const names: string[] = [];
    const parts = template.split(PLACEHOLDER).map((part, index) => {
      if (index % 2 === 0) return escaped(part);
      const value = VARYING.includes(part) ? undefined : this.bound.get(part);
      if (value !== undefined) return escaped(value);
      names.push(part);
      return '([^"<>]+)';
    });
    const match = new RegExp(`^${parts.join('')}${body === undefined ? '' : '$'}`).exec(received);
    names.forEach((name, index) => match?.[index + 1] !== undefined && this.bound.set(name, match[index + 1]!));
    return match !== null;
  }
}

function headerFits(name: string, recorded: string, value: string, body: string): boolean {
  // The time of a file is in its tag.
  if (name === 'etag') return /-.*$/.exec(value)?.[0] === /-.*$/.exec(recorded)?.[0];
  return value === recorded || (name === 'content-length' && OF_OTHER_LENGTH.test(body));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
