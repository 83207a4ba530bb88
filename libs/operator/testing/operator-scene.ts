import {
  accessTokensStream,
  accountStream,
  appPasswordsStream,
  erasuresStream,
  sessionStream,
  sshKeyRingStream,
  type Projector,
  type StreamRef,
} from '@keyfold/projections';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AccountCommand, DomainEvent, ErasuresCommand, SessionStarted } from '@keyfold/domain';
import { publicKey } from '../../domain/testing/ssh-key-ring.events.js';
import { freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import type { OperatorPorts } from '../src/command-run.js';
import type { OperatorRequest } from '../src/commands/index.js';
import {
  openEmbeddedStore,
  openSharedStore,
  type EmbeddedStoreOptions,
  type OperatorStore,
} from '../src/operator-store.js';
import { runCommand } from '../src/run-command.js';

const SEALING_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
export const SCENE_OPTIONS = { sessionDays: 90, sealingKeys: SEALING_KEYS };

/** The result of a command: its exit status and the lines that it wrote. */
export type Ran = Readonly<{ status: number; out: readonly string[]; err: readonly string[] }>;

/** Commands of operators on a real store without accounts, which is removed after the test. */
export class OperatorScene {
  readonly ports: OperatorPorts;
  /** One, because another would wait for its leases. */
  #projector: Projector | undefined;

  constructor({ ports }: OperatorStore) {
    this.ports = ports;
  }

  /** Runs a command. */
  async run({ command, args }: OperatorRequest): Promise<Ran> {
    const out: string[] = [];
    const err: string[] = [];
    const output = {
      out: async (line: string) => void out.push(line),
      err: async (line: string) => void err.push(line),
    };
    return { status: await runCommand(this.ports, { command, args }, output, new AbortController().signal), out, err };
  }

  /** Registers an account whose password nobody knows. */
  async register(accountId: number, username: string, role = 0, actor = 'test'): Promise<void> {
    const registration: AccountCommand = {
      type: 'RegisterAccount',
      origin: 'first-start',
      accountId,
      name: await this.ports.names.claim(username),
      password: { sealedHash: (await this.ports.sealer()).seal('hash', `account-${accountId}/password`), timestamp: 1 },
      role,
      basePath: '/',
      permission: 0,
      disabled: false,
      ssoId: '',
      allowLdap: true,
    };
    await this.#run(accountStream(accountId), registration, actor);
  }

  /** Registers the admin and the guest, as the first start does. */
  async startFirst(): Promise<void> {
    await this.register(1, 'admin', 2, 'first-start');
    await this.register(2, 'guest', 1, 'first-start');
  }

  /** Adds an SSH key. Returns its id. */
  async addSshKey(accountId: number, title: string): Promise<number> {
    const ref = sshKeyRingStream(accountId);
    const command = { type: 'AddSshKey', accountId, title, key: publicKey(title), now: Date.now() } as const;
    const { state } = await this.#run(ref, command);
    return state.keys.at(-1)!.keyId;
  }

  /** Adds an access token, by default one that never expires. */
  async addAccessToken(accountId: number, name: string, expiresAt: number | null = null): Promise<void> {
    const scopes = ['profile:read', 'keys:manage'] as const;
    const command = { accountId, name, scopes, expiresAt, hash: 'hash', now: Date.now() } as const;
    await this.#run(accessTokensStream(accountId), { type: 'CreateAccessToken', ...command });
  }

  /** Adds an app password for every protocol, by default one that never expires. */
  async addAppPassword(accountId: number, name: string, expiresAt: number | null = null): Promise<void> {
    const command = { accountId, name, protocol: 'any', expiresAt, hash: 'hash', now: Date.now() } as const;
    await this.#run(appPasswordsStream(accountId), { type: 'CreateAppPassword', ...command });
  }

  /** Runs a command on an account. */
  async change(accountId: number, command: AccountCommand): Promise<void> {
    await this.#run(accountStream(accountId), command);
  }

  /** Starts a session of a new account. Returns its id. */
  async startSession(accountId: number, differing: Partial<SessionStarted['data']> = {}): Promise<string> {
    const sessionId = differing.sessionId ?? crypto.randomUUID();
    const startedAt = Math.floor(Date.now() / 1000);
    const session: SessionStarted['data'] = {
      sessionId,
      accountId,
      generation: 1,
      factors: ['password'],
      address: '192.0.2.1',
      client: 'curl/8',
      startedAt,
      expiresAt: startedAt + 3600,
      ...differing,
    };
    await this.#run(sessionStream(sessionId, accountId), { type: 'StartSession', session });
    return sessionId;
  }

  /** Records an erasure or a backup. */
  async record(command: ErasuresCommand): Promise<void> {
    await this.#run(erasuresStream, command);
  }

  /** Brings the documents up to date, like a worker that reaches the end of the feed. */
  async project(): Promise<void> {
    this.#projector ??= this.ports.newProjector!((error) => expect.fail(String(error)));
    await this.#projector.catchUp();
  }

  async #run<State, Change extends { type: string }, Event extends DomainEvent>(
    ref: StreamRef<State, Change, Event>,
    command: NoInfer<Change>,
    actor = 'test',
  ) {
    return (await this.ports.runner()).run(ref, command, { actor, correlation: 'test' });
  }
}

type Options = Pick<EmbeddedStoreOptions, 'openlist'>;

/** Opens a new store on SQLite. */
export async function openScene(options: Options = {}): Promise<OperatorScene> {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  const store = await openEmbeddedStore({ folder, ...SCENE_OPTIONS, ...options });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return new OperatorScene(store);
}

async function onMongo(options: Options = {}): Promise<OperatorScene> {
  const store = await openSharedStore(freshDatabaseUri(), {
    prepare: true,
    leaseMilliseconds: 10_000,
    ...SCENE_OPTIONS,
    ...options,
  });
  onTestFinished(() => store.close());
  return new OperatorScene(store);
}

/** Both stores, each with a function that opens a new one. */
export const operatorStores = [
  ['SQLite', openScene],
  ['MongoDB', onMongo],
] as const;
