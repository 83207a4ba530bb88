import { setTimeout as sleep } from 'node:timers/promises';
import { Mongod } from './mongod.js';

const NAME = 'rs0';
const TIMEOUT_MS = 60_000;

/** How quickly a replica set detects a lost primary. */
type ReplicaSetOptions = Readonly<{
  /** Milliseconds of silence after which the others elect a new primary. MongoDB's default is 10,000. */
  electionTimeoutMillis?: number;
  /** Milliseconds between heartbeats. MongoDB's default is 2,000. */
  heartbeatIntervalMillis?: number;
  /** Allows `configureFailPoint` and other test commands. */
  testCommands?: boolean;
  /** Further arguments of each mongod. */
  arguments?: readonly string[];
}>;

/** A private replica set whose nodes a test can kill, restart, freeze and step down. Node numbers start at 0. */
export class ReplicaSet {
  private constructor(private readonly nodes: readonly Mongod[]) {}

  /** Starts a replica set and waits until it is complete. */
  static async start(count: 1 | 3, options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    const { electionTimeoutMillis = 1_000, heartbeatIntervalMillis = 200, testCommands = false } = options;
    const parameters = testCommands ? ['--setParameter=enableTestCommands=1'] : [];
    const started = Array.from({ length: count }, () =>
      Mongod.start(NAME, ...parameters, ...(options.arguments ?? [])),
    );
    const set = new ReplicaSet(await allOrNone(started));
    try {
      const members = set.nodes.map(({ address }, _id) => ({ _id, host: address }));
      const settings = {
        electionTimeoutMillis,
        heartbeatIntervalMillis,
        // A frozen primary keeps its sockets open: members detect it only by a heartbeat timeout.
        heartbeatTimeoutSecs: Math.ceil(electionTimeoutMillis / 1_000),
        catchUpTimeoutMillis: electionTimeoutMillis,
      };
      await set.node(0).command({ replSetInitiate: { _id: NAME, members, settings } });
      await set.complete();
      await set.primary();
      return set;
    } catch (error) {
      await set.stop();
      throw error;
    }
  }

  /** Returns the address of a database on the set. Clients discover the primary. */
  uri(database = ''): string {
    return `mongodb://${this.nodes.map(({ address }) => address).join(',')}/${database}?replicaSet=${NAME}`;
  }

  /** Returns one node, for direct access (`uri`, `port`, `command`). */
  node(node: number): Mongod {
    const found = this.nodes[node];
    if (!found) throw new Error(`node ${node} does not exist`);
    return found;
  }

  /** Waits for a primary that accepts writes and returns its number. Ignores frozen or cut-off former primaries. */
  async primary(): Promise<number> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (Date.now() < deadline) {
      const claims = await Promise.all(this.nodes.map(claimOf));
      const latest = claims.reduce((first, claim) => ((claim ?? '') > (first ?? '') ? claim : first), undefined);
      if (latest !== undefined) return claims.indexOf(latest);
      await sleep(50);
    }
    throw new Error(`the replica set still has no primary after ${TIMEOUT_MS} ms`);
  }

  /** Waits until every running node is primary or secondary, so that each can take over. */
  async complete(): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (!(await Promise.all(this.nodes.map(isMember))).every(Boolean)) {
      if (Date.now() > deadline) throw new Error(`the replica set is still incomplete after ${TIMEOUT_MS} ms`);
      await sleep(50);
    }
  }

  /**
   * Steps the primary down for some seconds. With three nodes another one takes over at once; a single node stays
   * secondary meanwhile. Returns the node that stepped down.
   */
  async stepDown(seconds = 1): Promise<number> {
    const node = await this.primary();
    const force = this.nodes.length === 1;
    const command = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: force ? 0 : seconds, force };
    await this.node(node).command(command, TIMEOUT_MS);
    return node;
  }

  /** Kills a node (SIGKILL), like a power failure. */
  async kill(node: number): Promise<void> {
    await this.node(node).kill();
  }

  /** Restarts a killed node on its data and port. It catches up in the background; see `complete`. */
  async restart(node: number): Promise<void> {
    await this.node(node).restart();
  }

  /** Freezes a node with its sockets open (SIGSTOP). After `thaw` it handles what it received before. */
  freeze(node: number): void {
    this.node(node).freeze();
  }

  thaw(node: number): void {
    this.node(node).thaw();
  }

  /** Kills all nodes and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.dispose()));
  }
}

/** Returns the sortable election id of a primary; `undefined` if the node is not primary or does not answer. */
async function claimOf(node: Mongod): Promise<string | undefined> {
  if (!node.isRunning) return undefined;
  const answer = await node.command({ hello: 1 }, 500).catch(() => undefined);
  return answer?.['isWritablePrimary'] === true ? String(answer['electionId']) : undefined;
}

async function isMember(node: Mongod): Promise<boolean> {
  if (!node.isRunning) return true;
  const answer = await node.command({ hello: 1 }, 500).catch(() => undefined);
  return answer?.['isWritablePrimary'] === true || answer?.['secondary'] === true;
}

async function allOrNone(starting: readonly Promise<Mongod>[]): Promise<Mongod[]> {
  const outcomes = await Promise.allSettled(starting);
  const nodes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failed) return nodes;
  await Promise.all(nodes.map((node) => node.dispose()));
  throw failed.reason;
}
