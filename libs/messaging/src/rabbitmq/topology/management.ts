import { reasonOf } from '@keyfold/event-store';
import { BrokerUnavailable } from '../../messaging.errors.js';
import type { BindingObject, PolicyObject } from './topology.js';

/** Milliseconds. */
const PATIENCE = 10_000;

/** The management API does not answer, or does not let this user look or change. */
export class ManagementUnavailable extends BrokerUnavailable {}

type StoredPolicy = { pattern: string; priority: number; definition: Record<string, unknown>; 'apply-to': string };

type ApiAnswer = Readonly<{ status: number; ok: boolean; text: string }>;

/** A queue as it is. */
export type QueueState = Readonly<{
  type: string;
  arguments: Readonly<Record<string, unknown>>;
  effective_policy_definition?: Readonly<Record<string, unknown>>;
}>;

/**
 * The management API of RabbitMQ for one virtual host. It tells and sets what AMQP cannot: bindings and policies. Every method throws
 * `ManagementUnavailable` when it does not answer or refuses; no message contains the password.
 */
export class Management {
  readonly #base: URL;
  readonly #authorization: string;
  readonly #vhost: string;

  /** The virtual host is that of the AMQP address, and the user where `url` names none. */
  constructor(url: string, amqpUrl: string) {
    const { username, password } = new URL(new URL(url).username === '' ? amqpUrl : url);
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    this.#base = new URL(url);
    this.#base.username = '';
    this.#base.password = '';
    this.#vhost = encodeURIComponent(vhostOf(amqpUrl));
  }

  /** A queue, or undefined where there is none. What is in force on it is told some seconds after it was made. */
  queue(name: string): Promise<QueueState | undefined> {
    return this.#get(`queues/${this.#vhost}/${encoded(name)}`);
  }

  /** The names of all queues that an exchange gives messages to, also through other exchanges. */
  async queuesBehind(exchange: string): Promise<readonly string[]> {
    const queues = new Set<string>();
    const exchanges = new Set([exchange]);
    // It grows while it is gone through.
    for (const source of exchanges) {
      const path = `exchanges/${this.#vhost}/${encoded(source)}/bindings/source`;
      const bindings = (await this.#get<{ destination: string; destination_type: string }[]>(path)) ?? [];
      for (const { destination, destination_type } of bindings)
        (destination_type === 'queue' ? queues : exchanges).add(destination);
    }
    return [...queues];
  }

  async hasBinding({ exchange, queue, routingKey }: BindingObject): Promise<boolean> {
    const path = `bindings/${this.#vhost}/e/${encoded(exchange)}/q/${encoded(queue)}`;
    const bindings = await this.#get<{ routing_key: string }[]>(path);
    return bindings?.some(({ routing_key }) => routing_key === routingKey) ?? false;
  }

  /** What is in force under the name of a policy. */
  policy(policy: PolicyObject): Promise<Readonly<StoredPolicy> | undefined> {
    return this.#get<StoredPolicy>(this.#pathOf(policy));
  }

  async setPolicy(policy: PolicyObject): Promise<void> {
    const { pattern, priority, definition } = policy;
    const body = JSON.stringify({ pattern, priority, definition, 'apply-to': 'queues' });
    const answer = await this.#ask('PUT', this.#pathOf(policy), body);
    if (!answer.ok) throw this.#refused(answer);
  }

  #pathOf({ kind, name }: PolicyObject): string {
    const list = kind === 'policy' ? 'policies' : 'operator-policies';
    return `${list}/${this.#vhost}/${encoded(name)}`;
  }

  async #get<Answer>(path: string): Promise<Answer | undefined> {
    const answer = await this.#ask('GET', path);
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw this.#refused(answer);
    return JSON.parse(answer.text) as Answer;
  }

  async #ask(method: 'GET' | 'PUT', path: string, body?: string): Promise<ApiAnswer> {
    const prefix = this.#base.pathname.replace(/\/$/, '');
    try {
      const answer = await fetch(`${this.#base.origin}${prefix}/api/${path}`, {
        method,
        headers: { authorization: this.#authorization, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(PATIENCE),
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.status, ok: answer.ok, text: await answer.text() };
    } catch (error) {
      // `fetch` itself says no more than that it failed.
      const { cause = error } = error as Error;
      const message = `the management API at ${this.#base.host} does not answer: ${reasonOf(cause)}`;
      throw new ManagementUnavailable(message, { cause });
    }
  }

  #refused({ status, text }: ApiAnswer): ManagementUnavailable {
    const told = text.slice(0, 300);
    return new ManagementUnavailable(`the management API at ${this.#base.host} refuses: ${status} ${told}`);
  }
}

/** The virtual host of an AMQP address; `/` where it names none. */
export function vhostOf(amqpUrl: string): string {
  const path = new URL(amqpUrl).pathname;
  return path.length > 1 ? decodeURIComponent(path.slice(1)) : '/';
}

const encoded = (name: string) => encodeURIComponent(name);
