import { networksOf, sourceOf } from './source-networks.js';
import type { ThrottledKey, ThrottleRule } from './throttle.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const MONTH = 30 * DAY;

/** What one source and one network may get wrong at all. */
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

/** What one source, or one device, may get wrong for one account: 735 in 30 days. */
const PAIR: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: HOUR,
  forgetAfter: DAY,
  countFrom: 'last',
};

/**
 * The same for a network whose sources the account does not know, neighbours of the owner among them: 28 codes in 30 days, and 52 passwords, of
 * which two count as first ones.
 */
const NETWORK_PAIR: ThrottleRule = {
  limit: 15,
  firstBlock: 5 * MINUTE,
  maxBlock: MONTH,
  forgetAfter: MONTH,
  countFrom: 'last',
};
/** Blocked for a day at most, because behind a proxy that nobody has configured all clients are one network. */
const LATER_OF_NETWORK: ThrottleRule = { ...NETWORK_PAIR, limit: 13, maxBlock: DAY };
const FIRST_OF_NETWORK: ThrottleRule = { ...NETWORK_PAIR, limit: 2, firstBlock: MONTH };

/**
 * What all unknown sources together may get wrong for one account: the first two passwords of each network, and apart from them those
 * that follow. So a network that has not tried before finds its place, although many others use up theirs.
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

/** What all known sources and devices together may get wrong for one account, whatever the owner does: 4,880 in any 30 days. */
const KNOWN_PASSWORDS: ThrottleRule = {
  limit: 1_000,
  firstBlock: 15 * MINUTE,
  maxBlock: 15 * MINUTE,
  forgetAfter: MONTH,
  countFrom: 'first',
};

/** Wrong codes in a row from unknown sources; the hundredth locks the code for them. */
const CODES_IN_A_ROW: ThrottleRule = { ...LATER_PASSWORDS, forgetAfter: MONTH };
/** Wrong codes of one account in 30 days, which no right one clears: at most 229 and 89, of which each is right with 3 in a million. */
const STRANGE_CODES: ThrottleRule = {
  limit: 100,
  firstBlock: DAY,
  maxBlock: DAY,
  forgetAfter: MONTH,
  countFrom: 'first',
};
const KNOWN_CODES: ThrottleRule = { ...STRANGE_CODES, limit: 30 };
/** The share of one known source or device: 14 in its 30 days and 23 in any, so it leaves some of the 30 to the others. */
const SHARE_OF_CODES: ThrottleRule = { ...KNOWN_CODES, limit: 10, maxBlock: MONTH };

/**
 * What a login tries: `account` is any stable text for the account, unknown names included; `address` is the client's; `device` the id in
 * a device token of that account; for codes only if that device has passed one of the present enrolment.
 */
export type LoginTry = Readonly<{
  factor: 'password' | 'one-time-code';
  account: string;
  address: string;
  device?: string | undefined;
}>;

/** How well the account knows where a try comes from; `new` and `strange` differ for passwords only. */
export type Standing = 'device' | 'known' | 'new' | 'strange';

/**
 * A key that a try counts on. `cleared`: a success makes it start anew; the others get the try back. `asks`: it bounds what is asked of the
 * service, not what is guessed.
 */
export type LoginKey = ThrottledKey & Readonly<{ cleared?: true; asks?: true }>;

/** The keys that a try counts on. Strangers in the same network keep out neither a device nor a known source. */
export function keysOf(login: LoginTry, standing: Standing): LoginKey[] {
  const { factor, account, address, device } = login;
  const from = standing === 'device' ? device! : sourceOf(address);
  const source = { key: `source:${sourceOf(address)}`, rule: SOURCE, asks: true } as const;
  const network = { key: `network:${networksOf(address)[0]}`, rule: NETWORK, asks: true } as const;
  const pair = { key: `${factor}:${account}:${from}`, rule: PAIR, cleared: true } as const;
  const ofAccount = factor === 'password' ? passwordKeys(login, standing) : codeKeys(login, standing, from);
  if (standing === 'device') return [pair, ...ofAccount];
  return standing === 'known' ? [source, pair, ...ofAccount] : [source, network, pair, ...ofAccount];
}

function passwordKeys(login: LoginTry, standing: Standing): LoginKey[] {
  const account = `${login.factor}:${login.account}`;
  if (standing === 'new')
    return [
      { key: `first:${ofNetwork(login)}`, rule: FIRST_OF_NETWORK },
      { key: `first:${account}`, rule: FIRST_PASSWORDS },
    ];
  if (standing === 'strange')
    return [
      { key: ofNetwork(login), rule: LATER_OF_NETWORK },
      { key: account, rule: LATER_PASSWORDS },
    ];
  return [{ key: `known-passwords:${login.account}`, rule: KNOWN_PASSWORDS }];
}

function codeKeys(login: LoginTry, standing: Standing, from: string): LoginKey[] {
  const known = `known-codes:${login.account}`;
  if (standing === 'device' || standing === 'known')
    return [
      { key: `${known}:${from}`, rule: SHARE_OF_CODES },
      { key: known, rule: KNOWN_CODES },
    ];
  return [
    { key: ofNetwork(login), rule: NETWORK_PAIR },
    { key: `strange-codes:${login.account}`, rule: STRANGE_CODES },
    { key: `${login.factor}:${login.account}`, rule: CODES_IN_A_ROW, told: true, cleared: true },
  ];
}

/** Under what a source is remembered as known to an account. */
export const knownKey = ({ factor, account, address }: LoginTry): string =>
  `known:${factor}:${account}:${sourceOf(address)}`;

const ofNetwork = ({ factor, account, address }: LoginTry) => `${factor}:${account}:network:${networksOf(address)[0]}`;
