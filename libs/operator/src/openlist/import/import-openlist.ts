import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { ImportResult } from './import-accounts.js';
import type { ImportReason } from './import-plan.js';
import { ImportReport, type ReportedAccount } from './import-report.js';
import { fitsRequest, partsOf, RequestFailed, resultsOf, withoutPassword, type ImportRun } from './import-requests.js';
import type { SettingResult } from './import-settings.js';
import { OpenlistDatabase, type OpenlistSetting } from '../database/openlist-database.js';
import { UnusableOpenlistDatabase } from '../database/openlist-file.js';
import { isAccount, type OpenlistAccount, type RefusedRow } from '../database/openlist-rows.js';
import { settingsToImport } from '../database/openlist-settings.js';
import { PasswordWrapping } from './password-wrapping.js';
import type { MappedAccount } from './show-mapping.js';

/** Accounts in a part that is written. A kill loses the hashes of one part. */
const WRITTEN_ACCOUNTS = 200;

const NOTHING = { accountId: null, problems: [], notes: [], needsPassword: false, keys: 0 } as const;

type Given = Readonly<{
  file: string;
  accept: readonly string[];
  staticToken: boolean;
  silent: boolean;
  dryRun: boolean;
  json: boolean;
}>;

/** Imports accounts and settings of a database of OpenList: plans all of them first, and writes only if every problem is accepted. */
export async function importOpenlist(given: Given, run: ImportRun): Promise<ExitCode> {
  try {
    using database = new OpenlistDatabase(given.file);
    return await new OpenlistImport(database, given, run).run();
  } catch (error) {
    if (error instanceof RequestFailed) return error.exitCode;
    if (!(error instanceof UnusableOpenlistDatabase)) throw error;
    await run.output.err(`${error.message}. Nothing was changed`);
    return WRONG_USAGE;
  }
}

class OpenlistImport {
  readonly #planned: ImportReport;
  readonly #written: ImportReport;
  /** The accounts to write, and whether each needs its password. */
  readonly #wanted = new Map<number, boolean>();
  /** The ids in the file, and the accounts here that they are. A file of an export has the ids of this store. */
  readonly #seen = new Set<number | null>();
  readonly #found = new Set<number | null>();

  constructor(
    private readonly database: OpenlistDatabase,
    private readonly given: Given,
    private readonly context: ImportRun,
  ) {
    this.#planned = new ImportReport(context.output, given.json);
    this.#written = new ImportReport(context.output, given.json);
  }

  async run(): Promise<ExitCode> {
    const { dryRun } = this.given;
    const { output } = this.context;
    for (const gap of this.database.gaps) await output.err(gap);
    await this.#planAccounts();
    const settings = await this.#sendableSettings();
    const toTake = await this.#planSettings(settings);
    const open = this.#planned.problems.filter((reason) => !this.#isAccepted(reason));
    const isNothing = this.#wanted.size === 0 && !toTake;
    const isPlanOnly = dryRun || open.length > 0 || isNothing;
    await this.#reportMissing(isPlanOnly ? this.#planned : this.#written);
    if (isPlanOnly) await this.#planned.finish('Would take');
    if (this.#planned.isOtherSite) {
      await output.err(
        'The file is of another site than an earlier import: most of its ids have other names and passwords here. Nothing was changed. ' +
          'Name the file of the first site. Keyfold can take only one site',
      );
      return FAILED;
    }
    if (open.length > 0) {
      const options = open.map((reason) => `--accept ${reason}`).join(' ');
      await output.err(`Nothing was changed. Solve the problems, or accept them with ${options}`);
      return FAILED;
    }
    const passwords = [...this.#wanted.values()].filter((needsPassword) => needsPassword).length;
    const wrapping = new PasswordWrapping(passwords, output);
    await wrapping.announce();
    if (dryRun || isNothing) return DONE;
    try {
      if (toTake) await this.#writeSettings(settings);
      return await this.#writeAccounts(wrapping);
    } catch (error) {
      if (!(error instanceof UnusableOpenlistDatabase)) throw error;
      await output.err(`${error.message}. The accounts above were imported. Run the command again for the others`);
      return FAILED;
    }
  }

  async #planAccounts(): Promise<void> {
    for (const part of partsOf(this.database.rows(), Infinity)) {
      for (const row of part) if (!isAccount(row)) await this.#reportPlan({ ...NOTHING, ...row, outcome: 'refused' });
      for (const result of await this.#sendAccounts(part.filter(isAccount).map(withoutPassword), false)) {
        if (result.outcome === 'taken') this.#wanted.set(result.id, result.needsPassword);
        await this.#reportPlan(result);
      }
    }
  }

  async #reportPlan(result: ReportedAccount): Promise<void> {
    this.#seen.add(result.id);
    this.#found.add(result.accountId);
    this.#planned.count(result);
    if (result.outcome !== 'taken') this.#written.count(result);
    if (this.given.dryRun || !this.#areAccepted(result)) await this.#planned.write(result);
  }

  /** Reports the accounts of earlier imports that the file no longer has. Reads the feed only if the file has any of them. */
  async #reportMissing(report: ImportReport): Promise<void> {
    if (!this.#planned.hasKnown) return;
    const mapping = await resultsOf<MappedAccount>({ command: 'import mapping', args: { json: true } }, this.context);
    for (const { id, accountId, username } of mapping) {
      if (username === null || this.#seen.has(id) || this.#found.has(accountId)) continue;
      const result = { ...NOTHING, id, username, accountId, outcome: 'no longer in the file' } as const;
      report.count(result);
      await report.write(result);
    }
  }

  /** Returns the settings that can be sent. Reports the others, which are longer than Keyfold takes. */
  async #sendableSettings(): Promise<readonly OpenlistSetting[]> {
    const settings = settingsToImport(this.database, this.given.staticToken);
    const lengthOf = ({ value = '' }: OpenlistSetting) => value.length;
    const sendable = settings
      .filter(({ value }) => value !== undefined)
      .toSorted((one, other) => lengthOf(one) - lengthOf(other));
    while (!fitsRequest(sendable)) sendable.pop();
    const problems = [{ reason: 'settings-too-large' }] as const;
    for (const { key } of settings.filter((setting) => !sendable.includes(setting))) {
      const result = { setting: key, outcome: 'refused', here: null, there: null, problems } as const;
      await this.#reportSetting(result);
      this.#written.countSetting(result);
    }
    return settings.filter((setting) => sendable.includes(setting));
  }

  /** Returns whether there is a setting to take. */
  async #planSettings(settings: readonly OpenlistSetting[]): Promise<boolean> {
    const results = await this.#sendSettings(settings, false);
    for (const result of results) await this.#reportSetting(result);
    return results.some(({ outcome }) => outcome === 'taken');
  }

  async #reportSetting(result: SettingResult): Promise<void> {
    this.#planned.countSetting(result);
    if (this.given.dryRun || !this.#areAccepted(result)) await this.#planned.writeSetting(result);
  }

  async #writeSettings(settings: readonly object[]): Promise<void> {
    for (const result of await this.#sendSettings(settings, true)) {
      this.#written.countSetting(result);
      if (result.outcome === 'taken' || result.outcome === 'refused') await this.#written.writeSetting(result);
    }
  }

  async #writeAccounts(wrapping: PasswordWrapping): Promise<ExitCode> {
    const wanted = this.#wanted;
    const isWanted = ({ id }: OpenlistAccount) => wanted.get(id) === true;
    for (const part of partsOf(selected(this.database.rows(), wanted), WRITTEN_ACCOUNTS)) {
      const sent = await wrapping.wrap(part, isWanted, this.context.signal);
      for (const result of await this.#sendAccounts(sent, true)) {
        this.#written.count(result);
        await this.#written.write(result);
      }
    }
    await this.#written.finish('Took');
    return this.#written.problems.every((reason) => this.#isAccepted(reason)) ? DONE : FAILED;
  }

  #sendAccounts(accounts: readonly object[], write: boolean): Promise<readonly ImportResult[]> {
    const { accept, silent } = this.given;
    return resultsOf({ command: 'import openlist', args: { accounts, accept, write, silent } }, this.context);
  }

  #sendSettings(settings: readonly object[], write: boolean): Promise<readonly SettingResult[]> {
    const { silent } = this.given;
    return resultsOf({ command: 'import openlist-settings', args: { settings, write, silent } }, this.context);
  }

  #isAccepted(reason: ImportReason): boolean {
    return this.given.accept.includes(reason);
  }

  #areAccepted({ problems }: Pick<ImportResult, 'problems'>): boolean {
    return problems.every(({ reason }) => this.#isAccepted(reason));
  }
}

/** Leaves out the accounts that are not wanted, and the rows that are none. */
function* selected(
  rows: Iterable<OpenlistAccount | RefusedRow>,
  wanted: ReadonlyMap<number, boolean>,
): Generator<OpenlistAccount> {
  for (const row of rows) if (isAccount(row) && wanted.has(row.id)) yield row;
}
