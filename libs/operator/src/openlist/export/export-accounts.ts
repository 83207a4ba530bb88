import {
  ListAccountsQuery,
  ListAccountsHandler,
  ListFactorySettingsQuery,
  ListSettingsQuery,
  operator,
  sealingContext,
  STATIC_TOKEN_KEY,
  UNREADABLE_SECRET,
  type ListedSetting,
} from '@keyfold/application';
import {
  accessTokensAggregate,
  accountAggregate,
  appPasswordsAggregate,
  GUEST_ID,
  settingFlag,
  sshKeyRingAggregate,
  type AccountFields,
} from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { foldCommits, sessions, type Fold } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import pLimit from 'p-limit';
import { accountPages } from '../../accounts/show-accounts.js';
import type { CommandRun, OperatorPorts } from '../../command-run.js';
import { catchUpIfAlone, untilCaughtUp } from '../../store/migrate.js';
import { exportMarkOf, openlistIdOf, unchangedPasswordMark } from '../import/import-marks.js';
import { quoted } from '../../output/printable.js';

/** Accounts that are read concurrently. The whole history of each is in memory meanwhile. */
const CONCURRENT_ACCOUNTS = 16;
/** How long to wait for a projector that polls once a second, in milliseconds. */
const PROJECTOR_TIMEOUT = 3_000;

/**
 * An account with its second factor in plain. `imported`: its id in OpenList and the mark of its password there, if that is still the
 * present one. Times of keys are in unix milliseconds.
 */
export type ExportedAccount = AccountFields &
  Readonly<{
    id: number;
    username: string;
    passwordTimestamp: number;
    exportMark: string;
    imported?: Readonly<{ id: number; passwordMark: string }>;
    secret: string;
    keys: readonly Readonly<{ title: string; line: string; fingerprint: string; addedAt: number }>[];
  }>;

/** Kinds of things that OpenList has no place for. */
type LeftKind = 'sessions' | 'accessTokens' | 'appPasswords' | 'recoveryCodes' | 'expiringKeys';
/** Counts what is left behind. */
export type LeftBehind = Partial<Record<LeftKind, number>>;

/** A line that the store sends: the changed settings and the accounts, and in the end the last id that any account has had. */
export type ExportLine =
  | Readonly<{ setting: ListedSetting }>
  | Readonly<{ account: ExportedAccount; left: LeftBehind }>
  | Readonly<{ lastId: number; left: LeftBehind }>;

/** Waits until the list has every commit that exists now. Returns whether it does. */
async function isListCurrent(run: CommandRun): Promise<boolean> {
  await catchUpIfAlone(run);
  const timeout = AbortSignal.timeout(PROJECTOR_TIMEOUT);
  try {
    await untilCaughtUp({ ...run, signal: AbortSignal.any([run.signal, timeout]) });
    return true;
  } catch (error) {
    if (!timeout.aborted) throw error;
    return false;
  }
}

/** Writes a line of JSON (`ExportLine`) for everything that OpenList can have. */
export async function exportAccounts(_: object, { ports, output, signal }: CommandRun): Promise<ExitCode> {
  const sealer = await ports.sealer();
  const send = (line: ExportLine) => output.out(JSON.stringify(line));
  const settings = await changedSettings(ports);
  const unreadable = settings.find(({ value }) => value === UNREADABLE_SECRET);
  if (unreadable) {
    await output.err(
      `no sealing key opens the setting ${quoted(unreadable.key)}. Add the key that sealed it: "keyfold secrets status" lists the keys in use`,
    );
    return FAILED;
  }
  if (!(await isListCurrent({ ports, output, signal }))) {
    await output.err(
      'the list of accounts may lack some: the projector has not reached the end of the feed. Start a worker or run "keyfold migrate", then run this command again',
    );
    return FAILED;
  }
  for (const setting of settings) await send({ setting });
  const limit = pLimit(CONCURRENT_ACCOUNTS);
  const { total } = await new ListAccountsHandler(ports.readModels).execute(new ListAccountsQuery(0, 1));
  let done = 0;
  for await (const page of accountPages(ports.readModels)) {
    const lines = await limit.map(page, ({ accountId }) => {
      signal.throwIfAborted();
      return accountLine(accountId, ports, sealer);
    });
    for (const line of lines) if (line) await send(line);
    done += page.length;
    await output.progress?.({ done, total, unit: 'account' });
  }
  const now = Math.floor(ports.clock.now() / 1_000);
  const active = await ports.readModels.listUnexpired(sessions, { after: now }, 0, 1);
  const nextId = await ports.counter.take('account', 0, GUEST_ID + 1);
  await send({ lastId: nextId - 1, left: { sessions: active.total } });
  return DONE;
}

/** Returns the settings whose values differ from those of a new service. OpenList creates the others itself. */
async function changedSettings({ queries }: OperatorPorts): Promise<readonly ListedSetting[]> {
  const listed = await queries.execute(new ListFactorySettingsQuery());
  const factory = new Map(listed.map(({ key, value }) => [key, key === STATIC_TOKEN_KEY ? '' : value]));
  const current = await queries.execute(new ListSettingsQuery(operator, undefined));
  return current.filter(({ key, value, flag }) => flag !== settingFlag.readOnly && value !== factory.get(key));
}

/** Returns undefined for an account that was deleted meanwhile. */
async function accountLine(
  accountId: number,
  { store }: OperatorPorts,
  sealer: Sealer,
): Promise<ExportLine | undefined> {
  const aggregates = [accountAggregate, sshKeyRingAggregate, accessTokensAggregate, appPasswordsAggregate];
  const commits = await store.readStreams(aggregates.map((each) => ({ stream: each.streamOf(accountId), version: 0 })));
  const commitsOf = ({ streamOf }: { streamOf(id: number): string }) =>
    commits.filter(({ stream }) => stream === streamOf(accountId));
  const stateOf = <State>(aggregate: Fold<State> & { streamOf(id: number): string }) =>
    foldCommits(aggregate, commitsOf(aggregate)).state;
  const history = commitsOf(accountAggregate);
  const account = stateOf(accountAggregate);
  const exportMark = exportMarkOf(history);
  if (account.status !== 'active' || exportMark === undefined) return undefined;
  const ring = stateOf(sshKeyRingAggregate);
  const openlistId = openlistIdOf(history);
  const passwordMark = unchangedPasswordMark(history);
  const { username, role, basePath, permission, disabled, ssoId, allowLdap, passwordTimestamp, twoFactor } = account;
  // A key that can expire would work forever there.
  const keys = ring.keys.filter(({ expiresAt }) => expiresAt === undefined);
  return {
    account: {
      id: accountId,
      username,
      role,
      basePath,
      permission,
      disabled,
      ssoId,
      allowLdap,
      passwordTimestamp,
      exportMark,
      ...(openlistId !== undefined && passwordMark !== undefined && { imported: { id: openlistId, passwordMark } }),
      secret: twoFactor ? sealer.open(twoFactor.sealedSecret, sealingContext.twoFactor(accountId)) : '',
      keys: keys.map(({ title, addedAt, key: { type, blob, comment, fingerprint } }) => {
        return { title, line: [type, blob, comment].join(' ').trimEnd(), fingerprint, addedAt };
      }),
    },
    left: {
      accessTokens: stateOf(accessTokensAggregate).secrets.length,
      appPasswords: stateOf(appPasswordsAggregate).secrets.length,
      recoveryCodes: twoFactor?.recoveryCodes?.unused.length ? 1 : 0,
      expiringKeys: ring.keys.length - keys.length,
    },
  };
}
