import { reasonOf } from '@keyfold/reporting';
import { BrokerUnavailable } from '../../publishing.js';
import { vhostOf } from '../connection/broker-connection.js';
import type { BindingObject, PolicyObject } from './topology.js';

/** Milliseconds. */
const TIMEOUT = 10_000;

/** The management API is unreachable, or this user lacks a permission. */
export class ManagementUnavailable extends BrokerUnavailable {}

export type StoredPolicy = Readonly<{
  pattern: string;
  priority: number;
  definition: Readonly<Record<string, unknown>>;
  'apply-to': string;
}>;

type ApiResponse = Readonly<{ status: number; ok: boolean; text: string }>;

/** A queue as the management API describes it. */
export type QueueState = Readonly<{
  type: string;
  arguments: Readonly<Record<string, unknown>>;
  online?: readonly string[];
  state?: string;
  messages?: number;
  effective_policy_definition?: Readonly<Record<string, unknown>>;
}>;

/**
 * A client for the management API of RabbitMQ, for one virtual host. It reads and sets what AMQP cannot: bindings and policies. Every
 * method throws `ManagementUnavailable` if the API is unreachable or refuses; no error contains the password.
 */
export class Management {
  /** Whether the API has refused a request of this user. */
  hasRefused = false;
  readonly #base: URL;
  readonly #authorization: string;
  readonly #vhost: string;

  /** Takes the virtual host from the AMQP URL, and the user as well if `url` has none. */
  constructor(url: string, amqpUrl: string) {
    const { username, password } = new URL(new URL(url).username === '' ? amqpUrl : url);
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    this.#base = new URL(url);
    this.#base.username = '';
    this.#base.password = '';
    this.#vhost = encodeURIComponent(vhostOf(amqpUrl));
  }

  /** Returns a queue, if it exists. Its policy appears a few seconds after the queue was declared. */
  queue(name: string): Promise<QueueState | undefined> {
    return this.#get(`queues/${this.#vhost}/${encodeURIComponent(name)}`);
  }

  /** Returns the names of all queues that are bound to an exchange, directly or through other exchanges. */
  async queuesBehind(exchange: string): Promise<readonly string[]> {
    const queues = new Set<string>();
    const exchanges = new Set([exchange]);
    // The loop adds to the set.
    for (const source of exchanges) {
      const path = `exchanges/${this.#vhost}/${encodeURIComponent(source)}/bindings/source`;
      const bindings = (await this.#get<{ destination: string; destination_type: string }[]>(path)) ?? [];
      for (const { destination, destination_type } of bindings)
        (destination_type === 'queue' ? queues : exchanges).add(destination);
    }
    return [...queues];
  }

  async hasBinding({ exchange, queue, routingKey }: BindingObject): Promise<boolean> {
    const path = `bindings/${this.#vhost}/e/${encodeURIComponent(exchange)}/q/${encodeURIComponent(queue)}`;
    const bindings = await this.#get<{ routing_key: string }[]>(path);
    return bindings?.some(({ routing_key }) => routing_key === routingKey) ?? false;
  }

  /** Returns the policy that is stored under the name of `policy`, if any. */
  policy(policy: PolicyObject): Promise<StoredPolicy | undefined> {
    return this.#get<StoredPolicy>(this.#pathOf(policy));
  }

  async setPolicy(policy: PolicyObject): Promise<void> {
    const { pattern, priority, definition } = policy;
    const body = JSON.stringify({ pattern, priority, definition, 'apply-to': 'queues' });
    const response = await this.#request('PUT', this.#pathOf(policy), body);
    if (!response.ok) throw this.#refused(response);
  }

  #pathOf({ kind, name }: PolicyObject): string {
    const list = kind === 'policy' ? 'policies' : 'operator-policies';
    return `${list}/${this.#vhost}/${encodeURIComponent(name)}`;
  }

  async #get<Body>(path: string): Promise<Body | undefined> {
    const response = await this.#request('GET', path);
    if (response.status === 404) return undefined;
    if (!response.ok) throw this.#refused(response);
    return JSON.parse(response.text) as Body;
  }

  async #request(method: 'GET' | 'PUT', path: string, body?: string): Promise<ApiResponse> {
    const prefix = this.#base.pathname.replace(/\/$/, '');
    try {
      const response = await fetch(`${this.#base.origin}${prefix}/api/${path}`, {
        method,
        headers: { authorization: this.#authorization, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT),
        ...(body === undefined ? {} : { body }),
      });
      this.hasRefused ||= response.status === 401 || response.status === 403;
      return { status: response.status, ok: response.ok, text: await response.text() };
    } catch (error) {
      // The error of `fetch` itself only says that it failed; the cause is in `cause`.
      const { cause = error } = error as Error;
      const message = `the management API at ${this.#base.host} does not answer: ${reasonOf(cause)}`;
      throw new ManagementUnavailable(message, { cause });
    }
  }

  #refused({ status, text }: ApiResponse): ManagementUnavailable {
    return new ManagementUnavailable(
      `the management API at ${this.#base.host} refused the request: ${status} ${text.slice(0, 300)}`,
    );
  }
}
