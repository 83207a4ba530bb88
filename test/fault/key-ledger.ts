import type { Envelope, ListedKey } from '../support/account-client.js';
import type { KeyLine } from '../support/key-line.js';

const TITLE_TAKEN = 'key with the same title already exists';

/**
 * The known state of one title. `owned`: an add was acknowledged or a list showed it. `taken`: an add was refused
 * because the title exists. `maybe`: a request is unanswered. `candidates` are the fingerprints that may have the
 * title.
 */
type Entry = { presence: 'owned' | 'taken' | 'maybe' | 'gone'; candidates: Set<string> };

/** The keys of one account according to the answers of the server, for comparison with its lists. */
export class KeyLedger {
  /** A sentence for every contradiction in the server's answers. */
  readonly violations: string[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #titleOfId = new Map<number, string>();

  constructor(private readonly account: string) {}

  /** Records that a client is about to add a key. Clients may race for a title, each with its own key. */
  adding(title: string, { fingerprint }: KeyLine): void {
    const entry = this.#entry(title);
    if (entry.presence !== 'owned') entry.candidates.add(fingerprint);
  }

  /** Records the answer to an add, or that there was none (`undefined`). */
  added(title: string, { fingerprint }: KeyLine, answer: Envelope | undefined): void {
    const entry = this.#entry(title);
    if (!answer) {
      if (entry.presence === 'gone') entry.presence = 'maybe';
    } else if (answer.code === 200) {
      if (entry.presence === 'owned') this.#violated(`${title} was added although it existed`);
      this.#own(entry, fingerprint);
    } else if (answer.message !== TITLE_TAKEN) {
      this.#violated(`adding ${title} was answered with ${answer.code} ${answer.message}`);
    } else if (entry.presence !== 'owned') {
      entry.candidates.delete(fingerprint);
      entry.presence = 'taken';
    }
  }

  /** Records the answer to the removal of a listed key, or that there was none. */
  removed(title: string, answer: Envelope | undefined): void {
    if (answer && answer.code !== 200) this.#violated(`removing ${title}: ${answer.code} ${answer.message}`);
    this.#entry(title).presence = answer ? 'gone' : 'maybe';
  }

  /** Compares with a list, and takes it as the known state from now on. */
  compare(list: readonly ListedKey[]): void {
    const titles = new Set(list.map(({ title }) => title));
    const fingerprints = new Set(list.map(({ fingerprint }) => fingerprint));
    if (titles.size !== list.length) this.#violated('a title is listed twice');
    if (fingerprints.size !== list.length) this.#violated('a key is listed twice');
    for (const key of list) this.#compareKey(key);
    for (const [title, entry] of this.#entries) {
      if (titles.has(title)) continue;
      const due = entry.presence === 'owned' || entry.presence === 'taken';
      if (due) this.#violated(`${title} was acknowledged but is not listed`);
      entry.presence = 'gone';
      entry.candidates.clear();
    }
  }

  #compareKey({ id, title, fingerprint }: ListedKey): void {
    const entry = this.#entries.get(title);
    if (!entry) return this.#violated(`${title} is listed but was never sent`);
    if (entry.presence === 'gone') this.#violated(`${title} is listed but was removed, or never added`);
    if (!entry.candidates.has(fingerprint)) this.#violated(`${title} is listed with another client's key`);
    if ((this.#titleOfId.get(id) ?? title) !== title) this.#violated(`the id of ${title} belonged to another key`);
    this.#titleOfId.set(id, title);
    this.#own(entry, fingerprint);
  }

  #own(entry: Entry, fingerprint: string): void {
    entry.presence = 'owned';
    entry.candidates = new Set([fingerprint]);
  }

  #entry(title: string): Entry {
    let entry = this.#entries.get(title);
    if (!entry) this.#entries.set(title, (entry = { presence: 'gone', candidates: new Set() }));
    return entry;
  }

  #violated(sentence: string): void {
    this.violations.push(`${this.account}: ${sentence}`);
  }
}
