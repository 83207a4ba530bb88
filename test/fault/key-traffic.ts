import type { AccountClient, ListedKey } from '../support/account-client.js';
import { KeyLedger } from './key-ledger.js';
import { keyLine } from '../support/key-line.js';
import { shuffled } from './seeded-random.js';

/** One in this many titles is added by two clients at once. */
const RACED = 20;
/** The keys that removals leave to an account, to keep long campaigns below the limit of 1,000 keys. */
const KEPT_KEYS = 300;

/**
 * An account of the test: its tokens, ledger, last list and unanswered adds. `ended` are the tokens logged out since
 * the last check, `doubtful` those whose logout was not answered.
 */
export type KeyOwner = {
  readonly username: string;
  readonly tokens: string[];
  readonly ledger: KeyLedger;
  /** Acknowledged changes that must produce an event, such as `ssh-key.added <fingerprint>`. */
  readonly acknowledged: string[];
  readonly ended: string[];
  readonly doubtful: string[];
  listed: ListedKey[];
  unanswered: Map<string, Add>;
};
type Add = Readonly<{ title: string; seed: string }>;
/** Sends one request and records the answer; returns false if there was none. */
export type Task = (client: AccountClient) => Promise<boolean>;

/** Accounts whose keys clients add and remove during faults. */
export class KeyTraffic {
  readonly owners: readonly KeyOwner[];
  #rounds = 0;

  constructor(
    private readonly random: () => number,
    accounts: number,
    name = 'owner',
  ) {
    this.owners = Array.from({ length: accounts }, (_, index) => {
      const username = `${name}-${index}`;
      const known = { tokens: [], acknowledged: [], ended: [], doubtful: [], listed: [] };
      return { username, ...known, ledger: new KeyLedger(username), unanswered: new Map() };
    });
  }

  /** Creates the accounts and logs each of them in. */
  async begin(client: AccountClient, adminPassword: string): Promise<void> {
    const admin = (await client.login('admin', adminPassword))!;
    for (const { username } of this.owners) {
      const made = await client.send('POST', '/api/admin/user/create', admin, { username, password: username });
      if (made?.code !== 200) throw new Error(`cannot create ${username}: ${made?.message}`);
    }
    for (const owner of this.owners) await logIn(owner)(client);
  }

  /**
   * Plans new adds, retries of unanswered adds, removals of listed keys, and a few logins and logouts, in random order.
   */
  plan(adds: number): Task[] {
    const round = ++this.#rounds;
    const tasks: Task[] = [];
    for (const owner of this.owners) {
      const removable = owner.listed.filter(({ title }) => !owner.unanswered.has(title));
      const surplus = Math.max(2, removable.length - KEPT_KEYS);
      tasks.push(...removable.slice(0, surplus).map((key) => remove(owner, key)));
      tasks.push(...[...owner.unanswered.values()].map((sent) => add(owner, sent)));
      owner.unanswered = new Map();
    }
    for (let index = 0; index < adds; index++) {
      const owner = this.owners[index % this.owners.length]!;
      const title = `round ${round} key ${index}`;
      tasks.push(add(owner, { title, seed: `${owner.username} ${title}` }));
      if (index % RACED === 0) tasks.push(add(owner, { title, seed: `${owner.username} rival ${title}` }));
    }
    tasks.push(
      ...shuffled(this.owners, this.random)
        .slice(0, this.owners.length / 10)
        .map(logIn),
      ...this.owners.filter(({ tokens }) => tokens.length > 1).map(logOut),
    );
    return shuffled(tasks, this.random);
  }

  /** Compares the current answers of the server with the ledgers. Returns every violation so far. */
  async check(client: AccountClient): Promise<string[]> {
    const violations: string[] = [];
    for (const owner of this.owners) {
      await checkEnded(client, owner);
      for (const token of owner.tokens) {
        const { username } = await client.get<{ username: string }>('/api/me', token);
        if (username !== owner.username) violations.push(`a token of ${owner.username} authenticates ${username}`);
      }
      const list = await client.get<{ content: ListedKey[] }>('/api/me/sshkey/list', owner.tokens[0]!);
      owner.listed = list.content;
      owner.ledger.compare(owner.listed);
    }
    const ids = this.owners.flatMap(({ listed }) => listed.map(({ id }) => id));
    if (new Set(ids).size !== ids.length) violations.push('two keys share an id');
    return [...violations, ...this.owners.flatMap(({ ledger }) => ledger.violations)];
  }

  /** Returns the acknowledged changes since the last call that must produce an event. */
  takeAcknowledged(): string[] {
    return this.owners.flatMap(({ acknowledged }) => acknowledged.splice(0));
  }
}

const logIn =
  ({ username, tokens, acknowledged }: KeyOwner): Task =>
  async (client) => {
    const token = await client.login(username, username);
    if (token === undefined) return false;
    tokens.push(token);
    acknowledged.push(`session.started ${sessionOf(token)}`);
    return true;
  };

/** Logs out the oldest session; the other tasks use the last token. */
const logOut =
  ({ username, tokens, ended, doubtful, acknowledged, ledger }: KeyOwner): Task =>
  async (client) => {
    const token = tokens.shift() ?? '';
    const answer = await client.send('GET', '/api/auth/logout', token);
    if (!answer) {
      doubtful.push(token);
      return false;
    }
    if (answer.code !== 200) ledger.violations.push(`logout of ${username}: ${answer.code} ${answer.message}`);
    ended.push(token);
    acknowledged.push(`session.ended ${sessionOf(token)}`);
    return true;
  };

/**
 * Checks that logged-out tokens are refused. A doubtful token may still work or be logged out. Throws if there is no
 * answer; the next call then goes on with the same token.
 */
async function checkEnded(client: AccountClient, owner: KeyOwner): Promise<void> {
  const { username, tokens, ended, doubtful, acknowledged, ledger } = owner;
  for (const list of [ended, doubtful])
    for (let [token] = list; token !== undefined; list.shift(), [token] = list) {
      const answer = await client.send('GET', '/api/me', token);
      if (!answer) throw new Error('GET /api/me: no answer');
      const isDoubtful = list === doubtful;
      if (answer.code === 401) {
        if (isDoubtful) acknowledged.push(`session.ended ${sessionOf(token)}`);
      } else if (isDoubtful && answer.code === 200) tokens.unshift(token);
      else ledger.violations.push(`a token of ${username} was logged out but is answered with ${answer.code}`);
    }
}

/** Returns the session id of a token. */
function sessionOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return String((JSON.parse(claims) as { jti: unknown }).jti);
}

const add =
  ({ tokens, ledger, acknowledged, unanswered }: KeyOwner, sent: Add): Task =>
  async (client) => {
    const key = keyLine(sent.seed);
    ledger.adding(sent.title, key);
    const answer = await client.addKey(tokens.at(-1)!, sent.title, key.line);
    ledger.added(sent.title, key, answer);
    if (!answer) unanswered.set(sent.title, sent);
    if (answer?.code === 200) acknowledged.push(`ssh-key.added ${key.fingerprint}`);
    return answer !== undefined;
  };

const remove =
  ({ tokens, ledger, acknowledged }: KeyOwner, { id, title }: ListedKey): Task =>
  async (client) => {
    const answer = await client.removeKey(tokens.at(-1)!, id);
    ledger.removed(title, answer);
    if (answer?.code === 200) acknowledged.push(`ssh-key.removed ${id}`);
    return answer !== undefined;
  };
