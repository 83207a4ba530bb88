import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN_CHECKED } from '../../../libs/openlist/src/mirror/user-mirror.js';
import { newAccessToken } from '../access-tokens.js';
import { adminOf, createAccount, newAddress, signedInAs } from '../accounts.js';
import type { Answer, ApiClient } from '../api-client.js';
import { newAppPassword } from '../app-passwords.js';
import type { OpenListDouble } from './openlist-double.js';
import type { ReceivedRequest } from './requests.js';

/** Accounts that change in parallel. */
const MEMBERS = 16;
const WEBDAV = 0x300;
const PAUSE_MS = 20;
/** The longest time that a forwarded request is on its way, and a change before it is saved. */
const DELAY_MS = 40;
/** Changes of names must overtake some logins, too, if they do not wait for them. */
const LOGIN_DELAY_MS = 400;
/** A name changes only this long after the last request with the former one began, so a wrong login of a younger request is a fault. */
const LATE_MS = LOGIN_CHECKED - 2;
/** Requests that are judged before the next restart. */
export const JUDGED_BETWEEN_RESTARTS = 2 * MEMBERS;

type Rights = Readonly<{ username: string; base_path: string; permission: number; disabled: boolean }>;
type Door = 'API' | 'WebDAV';

/** Returns the rights of a member after so many changes. Its base path tells them apart. */
const rightsOf = (member: number, changes: number): Rights => ({
  username: `member-${member}-${Math.floor(changes / 3)}`,
  base_path: `/${member}/${changes}`,
  permission: WEBDAV | (changes & 0xff),
  disabled: changes % 8 === 7,
});

/** An account that changes. `acknowledged` and `begun` count its changes. */
type Member = {
  readonly number: number;
  readonly id: number;
  /** Clients of all servers, with an access token. */
  readonly clients: readonly ApiClient[];
  readonly password: string;
  acknowledged: number;
  begun: number;
};

/**
 * Accounts that change while their requests are forwarded. The double records with which rights each request ran, and each is judged by what had been
 * acknowledged when it began.
 */
export class RightsRace {
  readonly violations: string[] = [];
  /** Requests that ran in OpenList. */
  readonly ran: Record<Door, number> = { API: 0, WebDAV: 0 };
  /** Requests that began and ended between two restarts of OpenList. */
  judgedBetweenRestarts = 0;
  /** Logins that a machine without time to spare sent so late that they were wrong. */
  lateLogins = 0;
  changes = 0;
  #requests = 0;
  #turn = 0;
  #restarting = false;
  /** The requests with a late login, by their numbers. */
  readonly #late = new Set<number>();

  private constructor(
    private readonly double: OpenListDouble,
    private readonly admins: readonly ApiClient[],
    private readonly members: readonly Member[],
  ) {
    double.requests.onReceived = (request) => this.#judge(request);
    // Changes overtake some requests that were sent before them.
    double.beforeRead = ({ url }) =>
      url.includes('?member=')
        ? sleep((url.startsWith('/dav') ? LOGIN_DELAY_MS : DELAY_MS) * Math.random() ** 3)
        : undefined;
    double.users.beforeSave = () => sleep((DELAY_MS / 4) * Math.random() ** 3);
  }

  /** Creates the accounts. `apis` are clients of the servers in front of the double. */
  static async create(double: OpenListDouble, apis: readonly ApiClient[]): Promise<RightsRace> {
    const admin = await adminOf(apis[0]!);
    const members = Array.from({ length: MEMBERS }, async (_, number): Promise<Member> => {
      const { username, ...rights } = rightsOf(number, 0);
      const { id } = await createAccount(admin, username, rights);
      const own = await signedInAs(apis[0]!, username);
      const { token } = await newAccessToken(own, ['files']);
      const { password } = await newAppPassword(own, { protocol: 'webdav' });
      return { number, id, clients: apis.map((api) => api.as(token)), password, acknowledged: 0, begun: 0 };
    });
    const admins = apis.map((api) => api.as(admin.token));
    return new RightsRace(double, admins, await Promise.all(members));
  }

  /** Makes so many changes. Each account sends requests during each of its changes and right after it. */
  async change(count: number): Promise<void> {
    const target = this.changes + count;
    const work = async (member: Member) => {
      while (this.changes < target && this.violations.length === 0) {
        this.changes++;
        await Promise.all([this.#change(member), this.#request(member, 'API'), this.#request(member, 'WebDAV')]);
        await Promise.all([this.#request(member, 'API'), this.#request(member, 'WebDAV')]);
      }
    };
    await Promise.all(this.members.map(work));
  }

  /** Restarts the double so many times while requests are forwarded. Those that begin after a restart and end before the next one must pass. */
  async restart(count: number): Promise<void> {
    let restarts = 0;
    const work = async (member: Member) => {
      while (restarts < count && this.violations.length === 0) {
        const during = restarts;
        const isRestarted = () => restarts !== during || this.#restarting;
        const request = async (door: Door) => {
          await this.#request(member, door, isRestarted);
          if (!isRestarted()) this.judgedBetweenRestarts++;
        };
        await Promise.all([request('API'), request('WebDAV')]);
      }
    };
    const restart = async () => {
      while (restarts < count && this.violations.length === 0) {
        const target = this.judgedBetweenRestarts + JUDGED_BETWEEN_RESTARTS;
        while (this.judgedBetweenRestarts < target && this.violations.length === 0) await sleep(PAUSE_MS);
        this.#restarting = true;
        await this.double.restart();
        this.#restarting = false;
        restarts++;
      }
    };
    await Promise.all([restart(), ...this.members.map(work)]);
  }

  async #change(member: Member): Promise<void> {
    const rights = rightsOf(member.number, ++member.begun);
    const answer = await this.#next(this.admins).post('/api/admin/user/update', { ...rights, id: member.id, role: 0 });
    if (answer.code === 200) member.acknowledged++;
    else this.violations.push(`change ${member.begun} of member ${member.number} got ${answer.outcome}`);
  }

  async #request(member: Member, door: Door, mayFail = () => false): Promise<void> {
    const { number, acknowledged: before } = member;
    const id = this.#requests++;
    const query = `?member=${number}&acknowledged=${before}&request=${id}&began=${performance.now()}`;
    const mightFail = mayFail();
    const { username } = rightsOf(number, before);
    const client = this.#next(member.clients).from(newAddress());
    const sent =
      door === 'API'
        ? client.post(`/api/fs/list${query}`, { path: '/' })
        : client.as(basic(username, member.password)).send({ method: 'PROPFIND', path: `/dav/${query}` });
    // A request in flight is cut once its account would be refused.
    const answer = await sent.catch(() => ({ code: 401, outcome: 'no answer' }));
    if (mightFail || mayFail() || !isRefusal(answer) || this.#late.delete(id) || isTooLate(answer)) return;
    const possible = Array.from({ length: member.begun - before + 1 }, (_, more) => rightsOf(number, before + more));
    const isDue = possible.some((each) => each.disabled || (door === 'WebDAV' && each.username !== username));
    if (!isDue || ![401, 403].includes(answer.code))
      this.violations.push(`a request over ${door} got ${answer.outcome}, ${JSON.stringify(possible)}`);
  }

  #judge({ url, user, isWrongLogin }: ReceivedRequest): void {
    const query = new URL(url, this.double.url).searchParams;
    if (!query.has('member')) return;
    if (isWrongLogin) this.#judgeWrongLogin(url, query);
    if (!user) return;
    const [, member, changes] = /^\/(\d+)\/(\d+)$/.exec(user.base_path) ?? [];
    const due = rightsOf(Number(member), Number(changes));
    const hasOneState = (Object.keys(due) as (keyof Rights)[]).every((field) => user[field] === due[field]);
    this.ran[url.startsWith('/dav') ? 'WebDAV' : 'API']++;
    if (member !== query.get('member') || Number(changes) < Number(query.get('acknowledged')) || !hasOneState)
      this.violations.push(`${url} ran as ${JSON.stringify(user)}`);
  }

  #judgeWrongLogin(url: string, query: URLSearchParams): void {
    const age = performance.now() - Number(query.get('began'));
    if (age < LATE_MS) return void this.violations.push(`${url} was a wrong login after ${age} ms`);
    this.lateLogins++;
    this.#late.add(Number(query.get('request')));
  }

  /** Returns the clients of all servers in turn. */
  #next(clients: readonly ApiClient[]): ApiClient {
    return clients[this.#turn++ % clients.length]!;
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const isRefusal = ({ code }: Pick<Answer, 'code'>) => [401, 403, 429, 502, 503, 504].includes(code);

/** The service itself found that it had no time to spare. */
const isTooLate = ({ outcome }: Pick<Answer, 'outcome'>) => outcome === '503 the request could not be sent in time';
