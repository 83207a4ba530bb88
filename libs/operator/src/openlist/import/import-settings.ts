import { changeOf, SettingSecrets, STATIC_TOKEN_KEY, type SettingInput } from '@keyfold/application';
import {
  IMPORT_ACTOR,
  importCause,
  siteSettingsAggregate,
  siteSettingsDecider,
  settingValue,
  type SiteSettings,
} from '@keyfold/domain';
import { Contended, type Commit } from '@keyfold/event-store';
import { DONE, type ExitCode } from '@keyfold/process';
import { foldCommits, siteSettingsStream } from '@keyfold/projections';
import { z } from 'zod';
import { newOrigin, refuseInput, type CommandRun } from '../../command-run.js';
import { isSecret } from '../../settings/show-settings.js';
import { untilLastImport } from './import-marks.js';
import { differenceOf, type ImportOutcome, type ImportProblem, type ImportReason } from './import-plan.js';

/** The result for a setting of OpenList, with its value here and there; null if it is secret. */
export type SettingResult = Readonly<{
  setting: string;
  outcome: ImportOutcome;
  here: string | null;
  there: string | null;
  problems: readonly ImportProblem[];
}>;

type Args = Readonly<{ settings: readonly unknown[]; write: boolean; silent: boolean }>;

const sentSettings: z.ZodType<readonly SettingInput[]> = z.array(z.object({ key: z.string(), value: z.string() }));

/**
 * Plans or imports settings, and writes a line of JSON for each (`SettingResult`). All of them are one commit. A setting that was changed
 * here stays as it is.
 */
export async function importSettings({ settings, write, silent }: Args, run: CommandRun): Promise<ExitCode> {
  const { ports, output } = run;
  const sent = sentSettings.safeParse(settings);
  if (!sent.success) return refuseInput('another version of keyfold sent these settings', run);
  const [{ state, version }] = await ports.loader.load(siteSettingsStream);
  const commits = await ports.store.readStreams([{ stream: siteSettingsStream.stream, version: 0 }]);
  const secrets = new SettingSecrets(await ports.sealer());
  const changedHere = new Set(commits.filter(isOwnChange).flatMap(keysIn));
  const before = untilLastImport(commits);
  const atImport = before.length === 0 ? undefined : foldCommits(siteSettingsAggregate, before).state;
  let results = sent.data.map((input) => planSetting(input, { state, atImport, changedHere }, secrets));
  const refuse = (reason: ImportReason) => {
    const refused = { outcome: 'refused', problems: [{ reason }] } as const;
    results = results.map((result) => (result.outcome === 'taken' ? { ...result, ...refused } : result));
  };
  const taken = sent.data.filter((_, index) => results[index]!.outcome === 'taken');
  if (taken.length > 0) {
    const change = changeOf(taken, state, secrets);
    const refusal = differenceOf(() => siteSettingsDecider.decide(state, change))?.refusal;
    if (refusal) refuse(refusal);
    else if (write) {
      const context = { actor: IMPORT_ACTOR, causation: importCause('import:openlist', silent), ...newOrigin() };
      try {
        await (await ports.runner()).run(siteSettingsStream, change, { ...context, version });
      } catch (error) {
        if (!(error instanceof Contended)) throw error;
        refuse('changed-meanwhile');
      }
    }
  }
  for (const result of results) await output.out(JSON.stringify(result));
  return DONE;
}

/** The settings now, and as the last import left them if there was one. */
type Present = Readonly<{ state: SiteSettings; atImport: SiteSettings | undefined; changedHere: ReadonlySet<string> }>;

function planSetting(
  input: SettingInput,
  { state, atImport, changedHere }: Present,
  secrets: SettingSecrets,
): SettingResult {
  const { key, value } = input;
  const values = isSecret(key) ? { here: null, there: null } : { here: settingValue(state, key), there: value };
  const differenceFrom = (before: SiteSettings) =>
    differenceOf(() => siteSettingsDecider.decide(before, changeOf([input], before, secrets)));
  const difference = differenceFrom(state);
  const result = { setting: key, ...values, problems: [] };
  if (!difference) return { ...result, outcome: 'unchanged' };
  if (changedHere.has(key)) {
    const isNew = atImport && differenceFrom(atImport);
    return { ...result, outcome: isNew ? 'changed on both sides' : 'changed here' };
  }
  const { refusal: reason } = difference;
  return reason ? { ...result, outcome: 'refused', problems: [{ reason }] } : { ...result, outcome: 'taken' };
}

const isOwnChange = ({ actor }: Commit) => actor !== IMPORT_ACTOR && actor !== 'first-start';

/** Returns the keys of the settings that a commit changed. */
const keysIn = ({ events }: Commit): string[] =>
  events.flatMap(({ type, data }) => {
    if (type === 'SettingsChanged') return Object.keys(data['changes'] as object);
    if (type === 'StaticTokenReset') return [STATIC_TOKEN_KEY];
    if (type === 'SecretSettingResealed') return [];
    return typeof data['key'] === 'string' ? [data['key']] : [];
  });
