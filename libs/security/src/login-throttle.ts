import ipaddr from 'ipaddr.js';
import { ThrottleStore, type Admission, type ThrottledKey, type ThrottleRule } from './throttle.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What one source may get wrong for one account and factor, what it may get wrong at all, and all sources together. */
const PAIR: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'last',
};
const SOURCE: ThrottleRule = { ...PAIR, limit: 50, countFrom: 'first' };
const ACCOUNT: ThrottleRule = {
  limit: 20,
  firstBlock: 1_000,
  maxBlock: 15 * MINUTE,
  forgetAfter: 60 * MINUTE,
  countFrom: 'last',
};
/** Wrong codes are remembered for so long, because the hundredth in a row locks the code. */
const ACCOUNT_CODES: ThrottleRule = { ...ACCOUNT, forgetAfter: 30 * DAY };
const KNOWN_SOURCE = 30 * DAY;

/** From this many wrong one-time codes in a row on, whoever tries them knows the password (NIST SP 800-63B 3.2.2). */
export const CODE_FAILURES_BEFORE_LOCK = 100;

/** What a login tries: `account` is any stable text for the account, unknown names included; `address` is the client's. */
export type LoginTry = Readonly<{ factor: 'password' | 'one-time-code'; account: string; address: string }>;

/** Bounds how often passwords and codes can be guessed; the two factors are counted apart. */
export class LoginThrottle {
  constructor(
    private readonly store: ThrottleStore,
    private readonly now: () => number,
  ) {}

  /** Counts the try before it is checked. Of a code, `failures` has those of the account over all sources. */
  take(login: LoginTry): Promise<Admission> {
    return this.store.take(keysOf(login), this.now());
  }

  /** For how many seconds `take` would refuse, 0 when it would admit; counts nothing. */
  look(login: LoginTry): Promise<number> {
    return this.store.look(keysOf(login), this.now());
  }

  /** The factor was right: its failures are forgotten, and the source is known to the account for 30 days. */
  succeed(login: LoginTry): Promise<void> {
    const [source, pair, account] = keysOf(login);
    // Wrong passwords of others must go on counting when the owner logs in; codes count only in a row.
    const inARow = login.factor === 'one-time-code';
    return this.store.succeed({
      clear: inARow ? [pair.key, account.key] : [pair.key],
      giveBack: inARow ? [source.key] : [source.key, account.key],
      remember: { key: account.exemptedBy!, until: this.now() + KNOWN_SOURCE },
    });
  }

  /** The try could not be checked, so it was none. */
  giveBack(login: LoginTry): Promise<void> {
    return this.store.succeed({ giveBack: keysOf(login).map(({ key }) => key) });
  }
}

function keysOf({ factor, account, address }: LoginTry): [ThrottledKey, ThrottledKey, ThrottledKey] {
  const source = sourceOf(address);
  return [
    { key: `source:${source}`, rule: SOURCE },
    { key: `${factor}:${account}:${source}`, rule: PAIR },
    {
      key: `${factor}:${account}`,
      ...(factor === 'password' ? { rule: ACCOUNT } : { rule: ACCOUNT_CODES, told: true }),
      exemptedBy: `known:${factor}:${account}:${source}`,
    },
  ];
}

/** One IPv4 address, or the /64 of an IPv6 address, which one customer owns whole. */
export function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
