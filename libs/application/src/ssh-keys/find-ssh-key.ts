import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isExpired } from '@keyfold/domain';
import { accountStream, KeyOwnerSearch, md5FingerprintOf, sshKeyRingStream, StreamLoader } from '@keyfold/projections';
import { Clock } from '../clock.js';

/** An account that has a key, and the key in its ring. `expiresAt` is in unix milliseconds. */
export type SshKeyOwner = Readonly<{
  accountId: number;
  username: string;
  disabled: boolean;
  keyId: number;
  title: string;
  expiresAt: number | undefined;
  expired: boolean;
}>;

/** The owners of a key. `more`: there may be further ones. */
export type SshKeyOwners = Readonly<{ owners: readonly SshKeyOwner[]; more: boolean }>;

/** Maximum number of owners in an answer, and of candidates that are checked for it. */
const MAX_OWNERS = 100;
const MAX_CANDIDATES = 1_000;

/** Finds the accounts that have a key now, by its SHA-256 or MD5 fingerprint. Disabled accounts and expired keys are found too. */
export class FindSshKeyQuery extends Query<SshKeyOwners> {
  constructor(readonly fingerprint: string) {
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

  async execute({ fingerprint }: FindSshKeyQuery): Promise<SshKeyOwners> {
    const candidates = await this.search.candidates(fingerprint, MAX_CANDIDATES);
    const owners: SshKeyOwner[] = [];
    // One after the other, because their rings may have a megabyte each.
    for (const accountId of candidates.slice(0, MAX_CANDIDATES)) {
      const owner = await this.#ownerOf(accountId, fingerprint);
      if (owner && owners.length === MAX_OWNERS) return { owners, more: true };
      if (owner) owners.push(owner);
    }
    return { owners, more: candidates.length >= MAX_CANDIDATES };
  }

  /** Returns the account with its key; undefined if the account was deleted or no longer has the key. */
  async #ownerOf(accountId: number, fingerprint: string): Promise<SshKeyOwner | undefined> {
    const [account, ring] = await this.loader.load(accountStream(accountId), sshKeyRingStream(accountId));
    const found = ring.state.keys.find(
      ({ key }) => key.fingerprint === fingerprint || md5FingerprintOf(key.blob) === fingerprint,
    );
    if (account.state.status !== 'active' || !found) return undefined;
    const { username, disabled } = account.state;
    const { keyId, title, expiresAt } = found;
    return { accountId, username, disabled, keyId, title, expiresAt, expired: isExpired(found, this.clock.now()) };
  }
}
