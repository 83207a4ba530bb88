import { Inject, Injectable } from '@nestjs/common';
import { ADMIN_ID, FIRST_GENERATION, sessionAggregate } from '@keyfold/domain';
import { CommitHistory, type Commit } from '@keyfold/event-store';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { LoginThrottle, Sealer, SETUP_CODE_BYTES, setupCodeOf } from '@keyfold/security';
import { ADMIN_REGISTRATION, CHOSEN_PASSWORD } from '../accounts/first-start.js';
import { Clock } from '../commands/clock.js';

/** Whether the process offers the setup, and for how many days after the first start. */
export type SetupRules = Readonly<{ isOffered: boolean; days: number }>;

/** The injection token of `SetupRules`. */
export const SETUP_RULES = Symbol('the rules of the setup');

const DAY = 86_400_000;
/** An admin with more commits has been in use, with the static token for example. */
const MAX_COMMITS = 100;

/**
 * The setup of the admin after the first start: the holder of the code in the log or on the terminal chooses the password. Everything
 * is read from the store, so all processes agree.
 */
@Injectable()
export class Setup {
  /**
   * Whether the history has shown that the setup is over, which it stays. Anybody may ask, so the history is then not read again. After
   * ten wrong codes it still is.
   */
  #isOver = false;

  constructor(
    private readonly loader: StreamLoader,
    private readonly history: CommitHistory,
    private readonly sealer: Sealer,
    private readonly throttle: LoginThrottle,
    private readonly clock: Clock,
    @Inject(SETUP_RULES) private readonly rules: SetupRules,
  ) {}

  /**
   * Returns the codes that are accepted, one for each sealing key and the one to show first. Returns none once the setup is over: the
   * password was changed, somebody logged in, ten codes were wrong, or it has been too long.
   */
  async codes(): Promise<readonly string[]> {
    if (!this.rules.isOffered || this.#isOver) return [];
    const registered = await this.#unusedRegistration();
    if (!registered) return [];
    if (registered.at < this.clock.now() - this.rules.days * DAY) return this.#end();
    if (await this.throttle.isSetupBlocked()) return [];
    const purpose = `setup code of account ${ADMIN_ID}, registered at ${registered.at}`;
    return this.sealer.deriveWithEach(purpose, SETUP_CODE_BYTES).map(setupCodeOf);
  }

  /** Returns the commit that registered the admin with a generated password, unless somebody has logged in or changed the password. */
  async #unusedRegistration(): Promise<Commit | undefined> {
    const { stream, partition } = accountStream(ADMIN_ID);
    const [{ state }] = await this.loader.load(accountStream(ADMIN_ID));
    if (state.generation !== FIRST_GENERATION || state.twoFactor) return undefined;
    const commits = (await this.history.readHistory({ partition }, MAX_COMMITS)).map(({ commit }) => commit);
    const hasSession = commits.some((commit) => commit.stream.startsWith(sessionAggregate.streamPrefix));
    const registered = commits.find((commit) => commit.stream === stream && commit.version === 1);
    const isGenerated = registered?.command.id === ADMIN_REGISTRATION && registered.causation !== CHOSEN_PASSWORD;
    if (isGenerated && !hasSession) return registered;
    // Without a commit, the first start is still to register the admin.
    if (commits.length > 0) this.#end();
    return undefined;
  }

  #end(): [] {
    this.#isOver = true;
    return [];
  }
}
