import type { Envelope } from '../account-client.js';
import { inWords, PairedReads, refusedWith, type ClientPair, type Judge, type Send } from './paired-reads.js';

/** The settings of the site, whose every change goes through one client and is then read through the other. */
export class Site {
  readonly reads: PairedReads;
  #staticToken = '';

  /** `admin` is the administrator's token. */
  constructor(
    clients: ClientPair,
    private readonly admin: string,
  ) {
    this.reads = new PairedReads(clients, () => 'the site');
  }

  /** Saves public, private and secret settings, changes the privacy mask and replaces the static token. */
  async changeSettings(round: number): Promise<void> {
    const title = `title ${round}`;
    const publicSettings: Send = (client) => client.send('GET', '/api/public/settings', '');
    await this.reads.pair('a title', this.#save('site_title', title), publicSettings, dataWith(title));
    for (const key of ['customize_head', 'ldap_manager_password', 'unknown_setting']) {
      const value = `${key} ${round}`;
      await this.reads.pair(key, this.#save(key, value), this.#get(key), dataWith(value));
    }
    const masked: Judge = ({ message }) => (message.includes('"***-') ? undefined : message);
    const listOfNoGroup: Send = (client) =>
      client.send('GET', `/api/admin/setting/list?group=a${round % 10}b-`, this.admin);
    await this.reads.pair('a mask', this.#save('privacy_regs', `a${round % 10}b`), listOfNoGroup, masked);
    await this.#replaceStaticToken();
  }

  async #replaceStaticToken(): Promise<void> {
    const former = this.#staticToken;
    const reset: Send = async (client) => {
      const answer = await client.send('POST', '/api/admin/setting/reset_token', this.admin);
      this.#staticToken = String(answer?.data);
      return answer;
    };
    const meBy =
      (token: () => string): Send =>
      (client) =>
        client.send('GET', '/api/me', token());
    const accepted: Judge = (answer) => (answer.code === 200 ? undefined : inWords(answer));
    await this.reads.pair(
      'a new static token',
      reset,
      meBy(() => this.#staticToken),
      accepted,
    );
    if (former === '') return;
    const refused = refusedWith('token is invalidated');
    const anotherReset = this.#staticToken;
    await this.reads.pair(
      'a replaced static token',
      reset,
      meBy(() => anotherReset),
      refused,
    );
  }

  #save(key: string, value: string): Send {
    return (client) => client.send('POST', '/api/admin/setting/save', this.admin, [{ key, value }]);
  }

  #get(key: string): Send {
    return (client) => client.send('GET', `/api/admin/setting/get?key=${key}`, this.admin);
  }
}

const dataWith =
  (text: string): Judge =>
  (answer: Envelope) =>
    answer.code === 200 && JSON.stringify(answer.data).includes(JSON.stringify(text))
      ? undefined
      : `${inWords(answer)} without "${text}"`;
