import type { AccountClient, ListedKey } from '../support/account-client.js';
import { KeyLedger } from './key-ledger.js';
import { keyLine } from '../support/key-line.js';
import { shuffled } from './seeded-random.js';

/** Of so many titles one is raced for by two clients. */
const RACED = 20;
/** Keys that removals leave to an account, so that long campaigns stay below the thousand that an account may have. */
const KEPT_KEYS = 300;

/**
 * A client's account: its tokens, what its clients were told, what the last list showed, and which adds wait for an answer. `ended` are
 * the tokens that were logged out since the last look, `doubtful` those of which nobody knows.
 */
export type Holder = {
  readonly username: string;
  readonly tokens: string[];
  readonly ledger: KeyLedger;
  /** What clients were told that others must hear of, such as `ssh-key.added <fingerprint>`. */
  readonly told: string[];
  readonly ended: string[];
  readonly doubtful: string[];
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
      const known = { tokens: [], told: [], ended: [], doubtful: [], listed: [] };
      return { username, ...known, ledger: new KeyLedger(username), unanswered: new Map() };
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

  /** New adds, those of the last round that have no answer, removals of listed keys, and a few logins and logouts, in random order. */
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
      ...this.holders.filter(({ tokens }) => tokens.length > 1).map(logOut),
    );
    return shuffled(tasks, this.random);
  }

  /** Compares what the server shows now with what clients were told; answers every violation there ever was. */
  async check(client: AccountClient): Promise<string[]> {
    const violations: string[] = [];
    for (const holder of this.holders) {
      violations.push(...(await checkEnded(client, holder)));
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

  /** What clients were told since the last call that others must hear of. */
  takeTold(): string[] {
    return this.holders.flatMap(({ told }) => told.splice(0));
  }
}

const logIn =
  ({ username, tokens, told }: Holder): Task =>
  async (client) => {
    const token = await client.login(username, username);
    if (token === undefined) return false;
    tokens.push(token);
    told.push(`session.started ${sessionOf(token)}`);
    return true;
  };

/** Ends the oldest session; the last token is the one that the other tasks use. */
const logOut =
  ({ username, tokens, ended, doubtful, told, ledger }: Holder): Task =>
  async (client) => {
    const token = tokens.shift() ?? '';
    const answer = await client.send('GET', '/api/auth/logout', token);
    if (!answer) {
      doubtful.push(token);
      return false;
    }
    if (answer.code !== 200)
      ledger.violations.push(`a logout of ${username} was answered with ${answer.code} ${answer.message}`);
    ended.push(token);
    told.push(`session.ended ${sessionOf(token)}`);
    return true;
  };

/** No token works that was logged out; one of which nobody knows either works on or is logged out. */
async function checkEnded(client: AccountClient, holder: Holder): Promise<string[]> {
  const violations: string[] = [];
  for (const token of [...holder.ended.splice(0), ...holder.doubtful]) {
    const isDoubtful = holder.doubtful.includes(token);
    const answer = await client.send('GET', '/api/me', token);
    if (answer?.code === 401) {
      if (isDoubtful) holder.told.push(`session.ended ${sessionOf(token)}`);
    } else if (isDoubtful && answer?.code === 200) holder.tokens.unshift(token);
    else violations.push(`a token of ${holder.username} that was logged out is answered with ${answer?.code}`);
  }
  holder.doubtful.splice(0);
  return violations;
}

/** The id of the session that a token is for. */
function sessionOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return String((JSON.parse(claims) as { jti: unknown }).jti);
}

const add =
  ({ tokens, ledger, told, unanswered }: Holder, sent: Add): Task =>
  async (client) => {
    const key = keyLine(sent.seed);
    ledger.adding(sent.title, key);
    const answer = await client.addKey(tokens.at(-1)!, sent.title, key.line);
    ledger.added(sent.title, key, answer);
    if (!answer) unanswered.set(sent.title, sent);
    if (answer?.code === 200) told.push(`ssh-key.added ${key.fingerprint}`);
    return answer !== undefined;
  };

const remove =
  ({ tokens, ledger, told }: Holder, { id, title }: ListedKey): Task =>
  async (client) => {
    const answer = await client.removeKey(tokens.at(-1)!, id);
    ledger.removed(title, answer);
    if (answer?.code === 200) told.push(`ssh-key.removed ${id}`);
    return answer !== undefined;
  };
