import type { AccountClient, ListedKey } from '../support/account-client.js';
import { KeyLedger } from './key-ledger.js';
import { keyLine } from '../support/key-line.js';
import { shuffled } from './seeded-random.js';

/** Of so many titles one is raced for by two clients. */
const RACED = 20;
/** Keys that removals leave to an account, so that long campaigns stay below the thousand that an account may have. */
const KEPT_KEYS = 300;

/** A client's account: its tokens, what its clients were told, what the last list showed, and which adds wait for an answer. */
export type Holder = {
  readonly username: string;
  readonly tokens: string[];
  readonly ledger: KeyLedger;
  listed: ListedKey[];
  unanswered: Map<string, Add>;
};
type Add = Readonly<{ title: string; seed: string }>;
/** Sends one request and writes down what came of it; false: no answer. */
export type Task = (client: AccountClient) => Promise<boolean>;

/** Accounts whose keys are added and removed while something goes wrong with the server. */
export class KeyTraffic {
  readonly holders: readonly Holder[];
  #rounds = 0;

  constructor(
    private readonly random: () => number,
    accounts: number,
  ) {
    this.holders = Array.from({ length: accounts }, (_, index) => {
      const username = `holder-${index}`;
      return { username, tokens: [], ledger: new KeyLedger(username), listed: [], unanswered: new Map() };
    });
  }

  /** Makes the accounts and logs each of them in. */
  async begin(client: AccountClient, adminPassword: string): Promise<void> {
    const admin = (await client.login('admin', adminPassword))!;
    for (const { username } of this.holders) {
      const made = await client.send('POST', '/api/admin/user/create', admin, { username, password: username });
      if (made?.code !== 200) throw new Error(`cannot make ${username}: ${made?.message}`);
    }
    for (const holder of this.holders) await logIn(holder)(client);
  }

  /** New adds, those of the last round that have no answer, removals of listed keys, and a few logins, in random order. */
  plan(adds: number): Task[] {
    const round = ++this.#rounds;
    const tasks: Task[] = [];
    for (const holder of this.holders) {
      const removable = holder.listed.filter(({ title }) => !holder.unanswered.has(title));
      const surplus = Math.max(2, removable.length - KEPT_KEYS);
      tasks.push(...removable.slice(0, surplus).map((key) => remove(holder, key)));
      tasks.push(...[...holder.unanswered.values()].map((sent) => add(holder, sent)));
      holder.unanswered = new Map();
    }
    for (let index = 0; index < adds; index++) {
      const holder = this.holders[index % this.holders.length]!;
      const title = `round ${round} key ${index}`;
      tasks.push(add(holder, { title, seed: `${holder.username} ${title}` }));
      if (index % RACED === 0) tasks.push(add(holder, { title, seed: `${holder.username} rival ${title}` }));
    }
    tasks.push(
      ...shuffled(this.holders, this.random)
        .slice(0, this.holders.length / 10)
        .map(logIn),
    );
    return shuffled(tasks, this.random);
  }

  /** Compares what the server shows now with what clients were told; answers every violation there ever was. */
  async check(client: AccountClient): Promise<string[]> {
    const violations: string[] = [];
    for (const holder of this.holders) {
      for (const token of holder.tokens) {
        const { username } = await client.get<{ username: string }>('/api/me', token);
        if (username !== holder.username) violations.push(`a token of ${holder.username} speaks for ${username}`);
      }
      const list = await client.get<{ content: ListedKey[] }>('/api/me/sshkey/list', holder.tokens[0]!);
      holder.listed = list.content;
      holder.ledger.compare(holder.listed);
    }
    const ids = this.holders.flatMap(({ listed }) => listed.map(({ id }) => id));
    if (new Set(ids).size !== ids.length) violations.push('two keys have one id');
    return [...violations, ...this.holders.flatMap(({ ledger }) => ledger.violations)];
  }
}

const logIn =
  ({ username, tokens }: Holder): Task =>
  async (client) => {
    const token = await client.login(username, username);
    if (token !== undefined) tokens.push(token);
    return token !== undefined;
  };

const add =
  ({ tokens, ledger, unanswered }: Holder, sent: Add): Task =>
  async (client) => {
    const key = keyLine(sent.seed);
    ledger.adding(sent.title, key);
    const answer = await client.addKey(tokens.at(-1)!, sent.title, key.line);
    ledger.added(sent.title, key, answer);
    if (!answer) unanswered.set(sent.title, sent);
    return answer !== undefined;
  };

const remove =
  ({ tokens, ledger }: Holder, { id, title }: ListedKey): Task =>
  async (client) => {
    const answer = await client.removeKey(tokens.at(-1)!, id);
    ledger.removed(title, answer);
    return answer !== undefined;
  };
