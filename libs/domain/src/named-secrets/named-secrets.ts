import type { Aggregate } from '../kernel/aggregate.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Hold } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import type { DomainEvent } from '../kernel/event.js';
import { accountOfId, LAST_NUMBER, numberedId } from '../kernel/numbered-ids.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A secret with a name, such as an access token. Times are in unix milliseconds; `expiresAt` is null if it never expires. */
export type NamedSecret = Readonly<{
  id: number;
  name: string;
  createdAt: number;
  expiresAt: number | null;
  hash: string;
}>;

/** The secrets of one kind of an account, in the order of their creation. `secretsEver` also counts those that are gone. */
export type NamedSecrets<Secret extends NamedSecret> = Readonly<{ secrets: readonly Secret[]; secretsEver: number }>;

/**
 * Creates a secret. `now` and `expiresAt` are in unix milliseconds; without `expiresAt`, it never expires. `usedCode` is the hold of the one-time
 * code that proved the owner. The commit takes it.
 */
export type CreateSecret<Type extends string = string> = Readonly<{
  type: Type;
  accountId: number;
  name: string;
  expiresAt: number | null;
  hash: string;
  now: number;
  usedCode?: Hold | undefined;
}>;

/** Revokes a secret. Refused with `<kind>-not-found` if the account has no such secret. `now` is in unix milliseconds. */
export type RevokeSecret<Type extends string = string> = Readonly<{ type: Type; id: number; now: number }>;

/** Revokes all secrets of the kind, also expired ones. Does nothing if there are none. `now` is in unix milliseconds. */
export type RevokeAllSecrets<Type extends string = string> = Readonly<{ type: Type; now: number }>;

/** The error codes of a kind begin with its name, such as `access-token-name-taken`. */
export type SecretKindName = 'access-token' | 'app-password';

/** Describes a kind of secret: its name and its events. */
export type SecretKind<Secret extends NamedSecret, Create extends CreateSecret, Event extends DomainEvent> = Readonly<{
  name: SecretKindName;
  upcasters: Upcasters<Event['type']>;
  created(id: number, command: Create): Event;
  revoked(id: number, now: number): Event;
  /** Returns the secret that the event created, or the id of the secret that it revoked. */
  effectOf(event: Event): Secret | number;
}>;

/** Maximum number of secrets of one kind that an account can have. Expired ones make room for new ones. */
export const SECRETS_PER_ACCOUNT = 100;

/** The latest expiry of a secret, in milliseconds after its creation: ten years. */
export const SECRET_LIFETIME = 3_653 * 86_400_000;

/** Returns the id of the account's n-th secret ever of its kind, with n from 1 to `LAST_NUMBER`. */
export const secretIdOf = numberedId;

/** Returns the id of the account to which a secret with this id would belong. */
export const accountOfSecret = accountOfId;

/** Returns whether the secret has expired at a time in unix milliseconds. */
export const isSecretExpired = ({ expiresAt }: Pick<NamedSecret, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && now >= expiresAt;

/**
 * Returns the aggregate that decides on the secrets of one kind of an account. Names of secrets that have not expired are unique and compared
 * exactly. If there are several reasons to refuse a creation, the first of these applies: length of the name, expiry, name, limit.
 *
 * An expired secret stays until it is revoked, a new secret takes its name, or a new secret would exceed the limit.
 */
export function namedSecretsAggregate<
  Secret extends NamedSecret,
  Create extends CreateSecret,
  Revoke extends RevokeSecret | RevokeAllSecrets,
  Event extends DomainEvent,
>(kind: SecretKind<Secret, Create, Event>): Aggregate<number, NamedSecrets<Secret>, Create | Revoke, Event> {
  const { name, upcasters, created, revoked, effectOf } = kind;

  function create({ secrets, secretsEver }: NamedSecrets<Secret>, command: Create): Event {
    requireMaxBytes(command.name, TEXT_BYTES.secretName, `${name}-name-too-long`);
    const { expiresAt, now } = command;
    if (expiresAt !== null && (expiresAt <= now || expiresAt > now + SECRET_LIFETIME))
      throw new DomainError(`${name}-expiry-invalid`);
    const live = secrets.filter((secret) => !isSecretExpired(secret, now));
    if (live.some((secret) => secret.name === command.name)) throw new DomainError(`${name}-name-taken`);
    if (live.length >= SECRETS_PER_ACCOUNT || secretsEver >= LAST_NUMBER)
      throw new DomainError(`${name}-limit-reached`);
    return created(secretIdOf(command.accountId, secretsEver + 1), command);
  }

  function revoke({ secrets }: NamedSecrets<Secret>, command: RevokeSecret | RevokeAllSecrets): Event[] {
    const { now } = command;
    if (!('id' in command)) return secrets.map(({ id }) => revoked(id, now));
    if (!secrets.some(({ id }) => id === command.id)) throw new DomainError(`${name}-not-found`);
    return [revoked(command.id, now)];
  }

  return {
    name: `${name}s`,
    decider: {
      initialState: { secrets: [], secretsEver: 0 },
      decide: (state, command) =>
        isCreation(command)
          ? { events: [create(state, command)], holds: command.usedCode ? [command.usedCode] : [] }
          : { events: revoke(state, command) },
      evolve({ secrets, secretsEver }, event) {
        const effect = effectOf(event);
        return typeof effect === 'number'
          ? { secrets: secrets.filter(({ id }) => id !== effect), secretsEver }
          : { secrets: withNewSecret(effect, secrets), secretsEver: secretsEver + 1 };
      },
    },
    upcasters,
    streamPrefix: `${name}s-`,
    streamOf: (accountId) => `${name}s-${accountId}`,
  };
}

const isCreation = <Create extends CreateSecret>(
  command: Create | RevokeSecret | RevokeAllSecrets,
): command is Create => 'hash' in command;

/**
 * Returns the secrets with a new one at the end. Expired ones give way to it: those with its name, and the first to expire of a full list.
 */
function withNewSecret<Secret extends NamedSecret>(secret: Secret, secrets: readonly Secret[]): readonly Secret[] {
  const kept = secrets.filter(({ name }) => name !== secret.name);
  if (kept.length < SECRETS_PER_ACCOUNT) return [...kept, secret];
  const [first] = kept
    .filter((each) => isSecretExpired(each, secret.createdAt))
    .toSorted((a, b) => Number(a.expiresAt) - Number(b.expiresAt));
  return [...kept.filter((each) => each !== first), secret];
}
