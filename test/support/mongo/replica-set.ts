import { setTimeout as pause } from 'node:timers/promises';
import { Mongod } from './mongod.js';

const NAME = 'rs0';
const PATIENCE_MS = 60_000;

/** How quickly a replica set notices that its primary is away. */
type ReplicaSetOptions = Readonly<{
  /** How long a primary may be silent before the others elect a new one, in milliseconds. MongoDB's own value is 10,000. */
  electionTimeoutMillis?: number;
  /** How often members ask each other how they are, in milliseconds. MongoDB's own value is 2,000. */
  heartbeatIntervalMillis?: number;
  /** Allows `configureFailPoint` and other commands that MongoDB keeps for tests. */
  testCommands?: boolean;
  /** Further arguments of each mongod. */
  arguments?: readonly string[];
}>;

/** A replica set of a test's own whose nodes can be killed, started again, frozen and asked to step down. Nodes are numbered from 0. */
export class ReplicaSet {
  private constructor(private readonly nodes: readonly Mongod[]) {}

  /** Starts one and waits until it is complete. */
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
        // A frozen primary keeps its sockets: members miss it only when a heartbeat runs out of time.
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

  /** The address of a database on the set: clients find the primary by themselves. */
  uri(database = ''): string {
    return `mongodb://${this.nodes.map(({ address }) => address).join(',')}/${database}?replicaSet=${NAME}`;
  }

  /** A node, to talk to it alone (`uri`, `port`, `command`). */
  node(node: number): Mongod {
    const found = this.nodes[node];
    if (!found) throw new Error(`there is no node ${node}`);
    return found;
  }

  /** The node that accepts writes; waits for one. A frozen or cut-off node that was primary before is not taken for one. */
  async primary(): Promise<number> {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const claims = await Promise.all(this.nodes.map(claimOf));
      const latest = claims.reduce((first, claim) => ((claim ?? '') > (first ?? '') ? claim : first), undefined);
      if (latest !== undefined) return claims.indexOf(latest);
      await pause(50);
    }
    throw new Error(`the replica set has no primary after ${PATIENCE_MS} ms`);
  }

  /** Waits until every running node is primary or secondary, so that each can take over. */
  async complete(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await Promise.all(this.nodes.map(isMember))).every(Boolean)) {
      if (Date.now() > deadline) throw new Error(`the replica set is not complete after ${PATIENCE_MS} ms`);
      await pause(50);
    }
  }

  /**
   * Asks the primary to step down and not to come back for some time. Of three nodes another takes over at once; a single one is
   * secondary for that long. Answers which node stepped down.
   */
  async stepDown(seconds = 1): Promise<number> {
    const node = await this.primary();
    const force = this.nodes.length === 1;
    const command = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: force ? 0 : seconds, force };
    await this.node(node).command(command, PATIENCE_MS);
    return node;
  }

  /** Ends a node at once (SIGKILL), as a power cut would. */
  async kill(node: number): Promise<void> {
    await this.node(node).kill();
  }

  /** Starts a killed node on the data and the port that it had. It catches up in the background: see `complete`. */
  async restart(node: number): Promise<void> {
    await this.node(node).restart();
  }

  /** Lets a node hang with its sockets open (SIGSTOP). What had reached it before, it handles after `thaw`. */
  freeze(node: number): void {
    this.node(node).freeze();
  }

  thaw(node: number): void {
    this.node(node).thaw();
  }

  /** Ends all nodes and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.dispose()));
  }
}

/** The election that made a node primary, in an order of time; `undefined` when it is none or does not answer. */
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
