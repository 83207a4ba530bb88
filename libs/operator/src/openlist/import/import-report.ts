import { DomainError } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import type { OperatorOutput } from '../../command-run.js';
import { counted } from '../../output/printable.js';
import { fieldsOf, headOf, lineOf, tableOf } from '../../output/table.js';
import { HIDDEN } from '../../settings/show-settings.js';
import type { ImportResult } from './import-accounts.js';
import type { ImportOutcome, ImportProblem, ImportReason } from './import-plan.js';
import type { SettingResult } from './import-settings.js';

const COLUMNS = [
  { head: 'id', width: 9, isNumeric: true },
  { head: 'username', width: 46 },
  { head: 'outcome', width: 21 },
];
/** Details have lines of their own below their account. */
const DETAIL_COLUMNS = [
  { width: 9, isNumeric: true },
  { width: 69, isNumeric: false },
];
/** An account as it is shown. `id` is null if that in OpenList is no integer. */
export type ReportedAccount = Omit<ImportResult, 'id'> & Readonly<{ id: number | null }>;

/** Meanings of problems, where the text of the API does not help an operator. */
const texts: Readonly<Partial<Record<ImportReason, string>>> = {
  'changed-meanwhile': 'it changed during the import: run it again',
  'erased-here': 'the account was imported and erased',
  'older-than-imported': 'the file is older than the one that was imported',
  'other-site': 'an earlier import has another person for the id',
  'reads-more-than-before': 'roles of AList: if accepted, it reads its whole base path',
  'password-missing': 'the file has no password hash that OpenList wrote',
  'renamed-in-openlist': 'an earlier import has another name for the id',
  'ssh-key-limit-reached': 'an account has at most 1,000: the oldest are taken',
  'row-unreadable': 'OpenList does not write this: mend it in the file',
  'ssh-key-invalid': 'not accepted here: its owner needs another key',
  'two-factor-secret-invalid': 'the secret is no base32 text, or too short',
};

const meaningOf = (reason: ImportReason): string =>
  texts[reason] ?? refusalFor(new DomainError(reason as DomainError['code'])).message;

/** Writes the results of an import, each as soon as it is known, and counts them. */
export class ImportReport {
  readonly #outcomes = new Map<ImportOutcome, number>();
  readonly #problems = new Map<ImportReason, number>();
  readonly #settings = new Map<ImportOutcome, number>();
  /** Accounts that have the password of an earlier import. */
  #known = 0;
  #keys = 0;
  #hasHead = false;

  constructor(
    private readonly output: OperatorOutput,
    private readonly isJson: boolean,
  ) {}

  /** Returns the names of all problems so far. */
  get problems(): readonly ImportReason[] {
    return [...this.#problems.keys()];
  }

  get hasKnown(): boolean {
    return this.#known > 0;
  }

  /** Whether more accounts belong to other persons than an earlier import than are known from it. */
  get isOtherSite(): boolean {
    return (this.#problems.get('other-site') ?? 0) > this.#known;
  }

  count({ outcome, problems, needsPassword, keys }: ReportedAccount): void {
    increase(this.#outcomes, outcome);
    if (outcome !== 'refused' && outcome !== 'no longer in the file' && !needsPassword) this.#known++;
    for (const { reason } of problems) increase(this.#problems, reason);
    if (outcome === 'taken') this.#keys += keys;
  }

  /** Writes a result. Tables leave out accounts without anything to say. */
  async write(result: ReportedAccount): Promise<void> {
    if (this.isJson) return this.output.out(JSON.stringify(result));
    const { id, username, outcome } = result;
    const details = detailsOf(result);
    if (outcome === 'unchanged' && details.length === 0) return;
    if (!this.#hasHead) await this.output.out(headOf(COLUMNS));
    this.#hasHead = true;
    await this.output.out(lineOf([id ?? '', username, outcome], COLUMNS));
    for (const detail of details) await this.output.out(lineOf(['', detail], DETAIL_COLUMNS));
  }

  countSetting({ outcome, problems }: SettingResult): void {
    increase(this.#settings, outcome);
    for (const { reason } of problems) increase(this.#problems, reason);
  }

  /** Writes the result for a setting. The text leaves out those without a difference. */
  async writeSetting(result: SettingResult): Promise<void> {
    const { setting, outcome, here, there, problems } = result;
    if (this.isJson) return this.output.out(JSON.stringify(result));
    if (outcome === 'unchanged') return;
    const hidden = problems.some(({ reason }) => reason === 'settings-too-large') ? '(too long)' : HIDDEN;
    const fields = {
      outcome: [outcome, ...problems.map(problemText)].join(', '),
      here: here ?? hidden,
      there: there ?? hidden,
    };
    for (const line of fieldsOf(`setting ${setting}`, fields)) await this.output.out(line);
  }

  /** Writes what each problem means, and the counts of outcomes. */
  async finish(verb: 'Took' | 'Would take'): Promise<void> {
    if (this.isJson) return;
    const rows = [...this.#problems].map(([reason, count]) => [reason, count, meaningOf(reason)]);
    if (rows.length > 0) for (const line of tableOf(['problem', 'count', 'meaning'], rows)) await this.output.out(line);
    const of = (outcome: ImportOutcome) => this.#outcomes.get(outcome) ?? 0;
    const both = of('changed on both sides');
    const changed = `${of('changed here')} changed here${both > 0 ? `, ${both} changed on both sides` : ''}`;
    const rest = `${of('unchanged')} unchanged, ${changed}, ${of('refused')} refused`;
    const taken = `${counted(of('taken'), 'account')} with ${counted(this.#keys, 'new SSH key')}`;
    const settings = this.#settings.get('taken') ?? 0;
    if (settings > 0) await this.output.out(`${verb} ${counted(settings, 'setting')}`);
    if (of('taken') > 0) await this.output.out(`${verb} ${taken}; ${rest}`);
    else await this.output.out(settings > 0 ? `${verb} no accounts; ${rest}` : `No change: ${rest}`);
    const missing = of('no longer in the file');
    if (missing > 0)
      await this.output.out(
        `${counted(missing, 'account')} of earlier imports ${missing > 1 ? 'are' : 'is'} no longer in the file`,
      );
  }
}

const increase = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1);

function detailsOf({ id, outcome, accountId, keys, problems, notes }: ReportedAccount): string[] {
  const isTaken = outcome === 'taken';
  return [
    ...(isTaken && accountId === null ? ['gets a new id'] : []),
    ...(accountId !== null && accountId !== id ? [`here with the id ${accountId}`] : []),
    ...(isTaken && keys > 0 ? [counted(keys, 'SSH key')] : []),
    ...problems.map(problemText),
    ...notes,
  ];
}

const problemText = ({ reason, key, cause }: ImportProblem) =>
  `${reason}${cause === undefined ? '' : ` (${cause})`}${key === undefined ? '' : `: ${key}`}`;
