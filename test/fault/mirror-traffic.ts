import { setTimeout as sleep } from 'node:timers/promises';
import { newAccessToken } from '../support/access-tokens.js';
import { adminOf, createAccount, signedInAs, type ListedAccount } from '../support/accounts.js';
import type { Answer, ApiClient } from '../support/api-client.js';

const IN_FLIGHT = 8;
/** Accounts whose requests are forwarded meanwhile. */
const READERS = 4;
/** Milliseconds that a client waits after an unanswered request. */
const PAUSE = 50;

type Fields = ListedAccount & { permission: number };

/** Changes names, permissions and disabled flags of many accounts while some of them send requests to OpenList. */
export class MirrorTraffic {
  /** Acknowledged changes, and requests that OpenList answered. */
  readonly count = { changes: 0, forwarded: 0 };
  /** Unexpected answers. */
  readonly refusals: string[] = [];
  #names = 0;
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly admin: ApiClient,
    private readonly accounts: readonly Fields[],
    private readonly readers: readonly ApiClient[],
    private readonly random: () => number,
  ) {}

  static async create(api: ApiClient, count: number, random: () => number): Promise<MirrorTraffic> {
    const admin = await adminOf(api);
    const created = Array.from({ length: READERS }, async (_, index) => {
      const account = await createAccount(admin, `reader-${index}`);
      return { account, files: await newAccessToken(await signedInAs(api, account.username), ['files']) };
    });
    const readers = await Promise.all(created);
    const names = Array.from({ length: count - READERS }, (_, index) => `account-${index}`).values();
    const create = async () => {
      for (const username of names)
        // An empty password takes no time to hash.
        (await admin.post('/api/admin/user/create', { username, password: '', role: 0 })).data();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, create));
    const path = `/api/admin/user/list?page=1&per_page=${count + READERS}`;
    const { content } = (await admin.get(path)).data<{ content: Fields[] }>();
    const accounts = content.filter(({ username }) => /^(account|reader)-/.test(username));
    return new MirrorTraffic(
      admin,
      accounts,
      readers.map(({ files }) => files.client),
      random,
    );
  }

  start(): void {
    const change = async (_: unknown, worker: number) => {
      // Nobody else changes these accounts.
      const own = this.accounts.filter((__, index) => index % IN_FLIGHT === worker);
      while (!this.#isStopped) await this.#change(own[Math.floor(this.random() * own.length)]!);
    };
    const read = async (reader: ApiClient) => {
      while (!this.#isStopped) await this.#read(reader);
    };
    this.#running = Promise.all([...Array.from({ length: IN_FLIGHT }, change), ...this.readers.map(read)]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #change(account: Fields): Promise<void> {
    const username = this.random() < 0.3 ? `account-${this.accounts.length + ++this.#names}` : account.username;
    const permission = Math.floor(this.random() * 16_384);
    const fields = { ...account, username, permission, disabled: this.random() < 0.2 };
    const answer = await answerOf(this.admin.post('/api/admin/user/update', fields));
    if (answer?.code === 200) {
      account.username = username;
      this.count.changes++;
    } else if (answer && answer.code !== 503) this.refusals.push(`a change got ${answer.outcome}`);
  }

  async #read(reader: ApiClient): Promise<void> {
    const answer = await answerOf(reader.get('/api/task/upload/done'));
    if (answer?.code === 200) this.count.forwarded++;
    // A disabled account is refused.
    else if (answer && ![401, 503].includes(answer.code)) this.refusals.push(`a request got ${answer.outcome}`);
  }
}

/** Returns the answer, or undefined after a pause if there is none. */
const answerOf = (answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch(() => sleep(PAUSE).then(() => undefined));
