// Stores accounts with sessions and keys like the service, through its own deciders but with cheap password hashes.
import { createHash, createSecretKey, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { JwtService } from '@nestjs/jwt';
import { keyBodies } from '../key-bodies.mjs';
import { domain, nameHash, projections, sealingContext, security } from './built.mjs';
import { SECRETS } from './processes.mjs';

export const PASSWORD = 'Bench-pass-1';
const HOURS = 48;
/** The cheapest argon2id parameters, so that the other costs of a login become visible. */
const CHEAPEST = { memoryCost: 8, timeCost: 1, parallelism: 1 };

const sealer = new security.Sealer(security.parseSealingKeys(SECRETS.KEYFOLD_SEALING_KEY));
const jwt = new JwtService({ secret: createSecretKey(Buffer.from(SECRETS.KEYFOLD_TOKEN_SECRET)) });
const signer = new security.TokenSigner(jwt, { issuer: 'keyfold', lifetimeHours: HOURS });
const passwordHash = await hash(security.staticHash(PASSWORD), CHEAPEST);

export const nameOf = (accountId) => `bench-${accountId}`;

/** Returns the commits of a new account with one session and some keys, and the data that signs its token. */
export function accountStory(accountId, keys) {
  const now = Date.now();
  const sessionId = randomUUID();
  const commits = [
    ...commitsOf(projections.accountStream(accountId), domain.accountDecider, [registration(accountId, now)]),
    ...commitsOf(projections.sessionStream(sessionId, accountId), domain.sessionDecider, [
      session(accountId, sessionId, now),
    ]),
    ...keyRingStory(accountId, keys),
  ];
  const subject = { accountId, sessionId, username: nameOf(accountId), passwordTimestamp: seconds(now), now };
  return { commits, signToken: () => signer.sign(subject) };
}

/** Returns the commits that add keys to an account's ring. */
export function keyRingStory(accountId, keys) {
  const now = Date.now();
  const commands = keyBodies(keys).map((body) => {
    const { title, key } = JSON.parse(body);
    return { type: 'AddSshKey', accountId, title, key: security.parseSshPublicKey(key), now };
  });
  return commitsOf(projections.sshKeyRingStream(accountId), domain.sshKeyRingDecider, commands);
}

const registration = (accountId, now) => ({
  type: 'RegisterAccount',
  origin: 'administrator',
  accountId,
  name: { username: nameOf(accountId), nameHash: nameHash(nameOf(accountId)), turn: 1 },
  password: { sealedHash: sealer.seal(passwordHash, sealingContext.password(accountId)), timestamp: seconds(now) },
  role: 0,
  basePath: '/',
  permission: 0,
  disabled: false,
  ssoId: '',
  allowLdap: true,
});

const session = (accountId, sessionId, now) => ({
  type: 'StartSession',
  session: {
    sessionId,
    accountId,
    generation: 1,
    factors: ['password'],
    address: '10.0.0.1',
    client: 'bench',
    startedAt: seconds(now),
    expiresAt: seconds(now) + HOURS * 3600,
  },
});

/** Returns the commit that adds a key with this expiry, in unix milliseconds, to an account's ring. */
export function expiringKey(accountId, expiresAt) {
  const { title, key } = JSON.parse(keyBodies(1)[0]);
  const now = expiresAt - 1;
  const command = { type: 'AddSshKey', accountId, title, key: security.parseSshPublicKey(key), expiresAt, now };
  return commitsOf(projections.sshKeyRingStream(accountId), domain.sshKeyRingDecider, [command])[0];
}

/** Runs commands from the beginning of a stream and returns one commit for each. */
function commitsOf({ stream, partition }, { initialState, decide, evolve }, commands) {
  let state = initialState;
  return commands.map((command, index) => {
    const { events, holds = [] } = decide(state, command);
    state = events.reduce(evolve, state);
    return {
      partition,
      stream,
      version: index + 1,
      command: { id: randomUUID(), type: command.type, hash: hashOf(`${command.type} ${stream}`) },
      at: Date.now(),
      actor: 'bench',
      correlation: randomUUID(),
      events,
      ...(holds.length > 0 ? { holds: holds.map(({ key }) => key) } : {}),
    };
  });
}

const hashOf = (text) => createHash('sha256').update(text).digest('base64url');
const seconds = (milliseconds) => Math.floor(milliseconds / 1000);
