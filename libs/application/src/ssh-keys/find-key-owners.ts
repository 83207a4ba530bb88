import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isExpired, sshKeyRingAggregate, type Account, type SshKey, type SshKeyRing } from '@keyfold/domain';
import {
  accountStream,
  KeyOwnerSearch,
  md5FingerprintOf,
  sshKeyRingStream,
  StreamLoader,
  weightOf,
} from '@keyfold/projections';
import { Clock } from '../commands/clock.js';

/** An account that has a key, and the key in its ring. `expiresAt` is in unix milliseconds. */
export type SshKeyOwner = Readonly<{
  accountId: number;
  username: string;
  basePath: string;
  permission: number;
  disabled: boolean;
  keyId: number;
  title: string;
  expiresAt: number | undefined;
  expired: boolean;
}>;

/** The first owners of a key. `next`: further ones may follow after this account id; undefined if there are none. */
export type SshKeyOwners = Readonly<{ owners: readonly SshKeyOwner[]; next: number | undefined }>;

/** Maximum number of owners in an answer, and of accounts that are checked for it. */
export const MAX_OWNERS = 100;
export const MAX_CHECKED = 1_000;
/** The weight of the rings that are loaded for an answer, in units of about a kilobyte, apart from the last one. */
const MAX_WEIGHT = 4_096;

/**
 * Finds the accounts above the id `after` that have a key now, by its SHA-256 or MD5 fingerprint. Disabled accounts and expired keys are
 * found too.
 */
export class FindSshKeyQuery extends Query<SshKeyOwners> {
  constructor(
    readonly fingerprint: string,
    readonly after: number,
  ) {
    super();
  }
}

/** @throws `KeyIndexBehind` or `StoreUnavailable`. */
@QueryHandler(FindSshKeyQuery)
export class FindSshKeyHandler implements IQueryHandler<FindSshKeyQuery> {
  constructor(
    private readonly search: KeyOwnerSearch,
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
  ) {}

  async execute({ fingerprint, after }: FindSshKeyQuery): Promise<SshKeyOwners> {
    const candidates = await this.search.candidates(fingerprint, after, MAX_CHECKED);
    const owners: SshKeyOwner[] = [];
    let weight = 0;
    for (const [index, accountId] of candidates.entries()) {
      // One after the other, because each may have a megabyte of keys.
      const [account, ring] = await this.loader.load(accountStream(accountId), sshKeyRingStream(accountId));
      const found = keyWith(fingerprint, ring.state);
      if (account.state.status === 'active' && found) owners.push(this.#ownerOf(account.state, found));
      weight += weightOf(sshKeyRingAggregate, ring.state);
      const isLast = index === candidates.length - 1 && candidates.length < MAX_CHECKED;
      if (!isLast && (owners.length === MAX_OWNERS || weight > MAX_WEIGHT)) return { owners, next: accountId };
    }
    return { owners, next: candidates.length < MAX_CHECKED ? undefined : candidates.at(-1) };
  }

  #ownerOf(account: Account, key: SshKey): SshKeyOwner {
    const { accountId, username, basePath, permission, disabled } = account;
    const { keyId, title, expiresAt } = key;
    return {
      accountId,
      username,
      basePath,
      permission,
      disabled,
      keyId,
      title,
      expiresAt,
      expired: isExpired(key, this.clock.now()),
    };
  }
}

/** Returns the key of a ring with a fingerprint of either form. */
const keyWith = (fingerprint: string, { keys }: SshKeyRing): SshKey | undefined =>
  fingerprint.startsWith('MD5:')
    ? keys.find(({ key }) => md5FingerprintOf(key.blob) === fingerprint)
    : keys.find(({ key }) => key.fingerprint === fingerprint);
