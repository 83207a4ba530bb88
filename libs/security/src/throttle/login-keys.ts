import ipaddr from 'ipaddr.js';
import type { ThrottleKey, ThrottleRule } from './throttle-store.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const MONTH = 30 * DAY;

/** Limits of one source and one network for all accounts together. */
const SOURCE: ThrottleRule = {
  limit: 50,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'first',
};
const NETWORK: ThrottleRule = {
  limit: 1_000,
  firstBlock: MINUTE,
  maxBlock: HOUR,
  forgetAfter: DAY,
  countFrom: 'first',
};

/**
 * Limit of one source for texts in the form of an app password that the account does not know. More than the logins of a source that may wait
 * at the same time, because a right password in this form counts until it has been checked.
 */
export const APP_PASSWORD_GUESSES: ThrottleRule = { ...SOURCE, limit: 500 };

/** Limit of wrong setup codes of all sources together. The block outlasts every setup. */
const SETUP_CODES: ThrottleRule = {
  limit: 10,
  firstBlock: 36_500 * DAY,
  maxBlock: 36_500 * DAY,
  forgetAfter: 36_500 * DAY,
  countFrom: 'first',
};
export const SETUP_KEY: ThrottleKey = { key: 'setup-code', rule: SETUP_CODES };

/** Limit of one source or one device for one account: 735 failures in 30 days. */
const PAIR: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: HOUR,
  forgetAfter: DAY,
  countFrom: 'last',
};

/**
 * Limit of all unknown sources of one network for one account: 28 codes in 30 days, or 52 passwords, two of which count as first ones. The
 * owner's neighbours are in such a network.
 */
const NETWORK_PAIR: ThrottleRule = {
  limit: 15,
  firstBlock: 5 * MINUTE,
  maxBlock: MONTH,
  forgetAfter: MONTH,
  countFrom: 'last',
};
/** Blocks for at most a day, because all clients behind an unconfigured proxy share one network. */
const LATER_OF_NETWORK: ThrottleRule = { ...NETWORK_PAIR, limit: 13, maxBlock: DAY };
const FIRST_OF_NETWORK: ThrottleRule = { ...NETWORK_PAIR, limit: 2, firstBlock: MONTH };

/**
 * Limits of all unknown sources together for one account. The first two passwords of each network are counted separately from later ones,
 * so that attackers who use up the later ones do not lock out a new network.
 */
const FIRST_PASSWORDS: ThrottleRule = {
  limit: 3_000,
  firstBlock: 10 * MINUTE,
  maxBlock: 10 * MINUTE,
  forgetAfter: MONTH,
  countFrom: 'first',
};
const LATER_PASSWORDS: ThrottleRule = {
  limit: 20,
  firstBlock: SECOND,
  maxBlock: 15 * MINUTE,
  forgetAfter: DAY,
  countFrom: 'last',
};

/** Limit of all known sources and devices together for one account: 4,880 failures in any 30 days, however often the owner logs in. */
const KNOWN_PASSWORDS: ThrottleRule = {
  limit: 1_000,
  firstBlock: 15 * MINUTE,
  maxBlock: 15 * MINUTE,
  forgetAfter: MONTH,
  countFrom: 'first',
};

/** Consecutive wrong codes from unknown sources. The hundredth locks the code for them. */
const CONSECUTIVE_CODES: ThrottleRule = { ...LATER_PASSWORDS, forgetAfter: MONTH };
/** Wrong codes of one account in 30 days, not cleared by a right one: at most 229 and 89. Each is right with a probability of 3 in a million. */
const UNKNOWN_CODES: ThrottleRule = {
  limit: 100,
  firstBlock: DAY,
  maxBlock: DAY,
  forgetAfter: MONTH,
  countFrom: 'first',
};
const KNOWN_CODES: ThrottleRule = { ...UNKNOWN_CODES, limit: 30 };
/** Limit of one known source or device: 14 codes in its period of 30 days, 23 in any 30 days, so that it cannot use all 30. */
const PAIR_CODES: ThrottleRule = { ...KNOWN_CODES, limit: 10, maxBlock: MONTH };

/**
 * One attempt to pass a factor. `account`: any stable text for the account, possibly a nonexistent one. `address`: the client's. `device`: the
 * id in a device token of that account; for codes, only of a device that has passed a code of the present enrolment.
 */
export type LoginAttempt = Readonly<{
  factor: 'password' | 'one-time-code';
  account: string;
  address: string;
  device?: string | undefined;
}>;

/** How an account knows the origin of an attempt. `new` and `stranger` are both unknown, and differ only for passwords. */
export type Standing = 'device' | 'known' | 'new' | 'stranger';

/**
 * A key that a login attempt counts on. `resetBySuccess`: a success clears it; it refunds the attempt to the other keys. `limitsRequests`:
 * the key limits requests to the service rather than guesses at an account.
 */
export type LoginKey = ThrottleKey & Readonly<{ resetBySuccess?: true; limitsRequests?: true }>;

/** Returns the keys that an attempt counts on. Strangers in the same network cannot block a device or a known source. */
export function loginKeysOf(login: LoginAttempt, standing: Standing): LoginKey[] {
  const { factor, account, address, device } = login;
  const from = standing === 'device' ? device! : sourceOf(address);
  const [source, network] = requestKeys(address);
  const pair = { key: `${factor}:${account}:${from}`, rule: PAIR, resetBySuccess: true } as const;
  const ofAccount = factor === 'password' ? passwordKeys(login, standing) : codeKeys(login, standing, from);
  if (standing === 'device') return [pair, ...ofAccount];
  return standing === 'known' ? [source, pair, ...ofAccount] : [source, network, pair, ...ofAccount];
}

/** Returns the keys on which an attempt at the setup code counts. */
export const setupKeysOf = (address: string): ThrottleKey[] => [...requestKeys(address), SETUP_KEY];

const requestKeys = (address: string) =>
  [
    { key: `source:${sourceOf(address)}`, rule: SOURCE, limitsRequests: true },
    { key: `network:${networksOf(address)[0]}`, rule: NETWORK, limitsRequests: true },
  ] as const;

/** Returns the key on which app passwords of one source count that the account does not know. It does not limit logins by password. */
export const appPasswordKey = (address: string): ThrottleKey => ({
  key: `app-password:${sourceOf(address)}`,
  rule: APP_PASSWORD_GUESSES,
});

function passwordKeys(login: LoginAttempt, standing: Standing): LoginKey[] {
  const account = `${login.factor}:${login.account}`;
  if (standing === 'new')
    return [
      { key: `first:${networkKey(login)}`, rule: FIRST_OF_NETWORK },
      { key: `first:${account}`, rule: FIRST_PASSWORDS },
    ];
  if (standing === 'stranger')
    return [
      { key: networkKey(login), rule: LATER_OF_NETWORK },
      { key: account, rule: LATER_PASSWORDS },
    ];
  return [{ key: `known-passwords:${login.account}`, rule: KNOWN_PASSWORDS }];
}

function codeKeys(login: LoginAttempt, standing: Standing, from: string): LoginKey[] {
  const known = `known-codes:${login.account}`;
  if (standing === 'device' || standing === 'known')
    return [
      { key: `${known}:${from}`, rule: PAIR_CODES },
      { key: known, rule: KNOWN_CODES },
    ];
  return [
    { key: networkKey(login), rule: NETWORK_PAIR },
    { key: `strange-codes:${login.account}`, rule: UNKNOWN_CODES },
    { key: `${login.factor}:${login.account}`, rule: CONSECUTIVE_CODES, reportFailures: true, resetBySuccess: true },
  ];
}

/**
 * Returns the keys on which attempts at one account count, whatever their source: each stands for itself and for the keys that continue it
 * after a colon. The keys of sources and networks for all accounts are not among them, nor are the known sources.
 */
export const keysOfAccount = (factor: LoginAttempt['factor'], account: string): string[] =>
  factor === 'password'
    ? [`password:${account}`, `first:password:${account}`, `known-passwords:${account}`]
    : [`one-time-code:${account}`, `known-codes:${account}`, `strange-codes:${account}`];

export const knownSourceKey = ({ factor, account, address }: LoginAttempt): string =>
  `known:${factor}:${account}:${sourceOf(address)}`;

const networkKey = ({ factor, account, address }: LoginAttempt) =>
  `${factor}:${account}:network:${networksOf(address)[0]}`;

/** Prefix lengths of networks that may belong to a single customer, from the widest to the one that counts as a source. */
const NETWORK_BITS = { ipv4: [24, 32], ipv6: [48, 56, 64] } as const;

/**
 * Returns the networks of an address from the widest to the narrowest: the /24 of an IPv4 address and the address itself, or the /48, /56
 * and /64 of an IPv6 address (RFC 6177: sites get between /48 and /64). Returns `unknown` for an invalid address.
 */
export function networksOf(address: string): readonly [widest: string, ...narrower: string[]] {
  if (!ipaddr.isValid(address)) return ['unknown'];
  const parsed = ipaddr.process(address);
  const [widest, ...narrower] = NETWORK_BITS[parsed.kind()];
  return [networkOf(parsed, widest), ...narrower.map((bits) => networkOf(parsed, bits))];
}

/** Returns the narrowest network of an address: an IPv4 address itself, or the /64 of an IPv6 address. */
export const sourceOf = (address: string): string => networksOf(address).at(-1)!;

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  if (address.kind() === 'ipv4' && bits === 32) return address.toString();
  const cidr = `${address.toString()}/${bits}`;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(cidr).toString()}/${bits}`;
}
