import type { Command } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { commandLine } from '../../apps/cli/src/command-line.js';
import { metricDefinitions } from '@keyfold/process';
import { definitionOf, publicEventTypes, sampleMessageOf, schemaOfEvent } from '@keyfold/messaging/events';
import * as groups from '../../libs/process/src/settings/settings.js';
import { expectPage, table } from '../support/reference-page.js';

const code = (text: string) => `\`${text}\``;

describe('the reference is generated from the code', () => {
  it('commands', () => expectPage('reference/commands.md', commandsPage()));
  it('settings', () => expectPage('reference/settings.md', settingsPage()));
  it('metrics', () => expectPage('reference/metrics.md', metricsPage()));
  it('events', () => expectPage('reference/events.md', eventsPage()));
  it('decisions', () => expectPage('decisions/README.md', decisionsPage()));
});

it('every setting has a description', () => {
  for (const [name, schema] of settings()) expect(schema.description, name).toBeTruthy();
});

function commandsPage(): string {
  const program = commandLine({} as Parameters<typeof commandLine>[0]);
  const leaves = (command: Command, words: readonly string[]): { command: Command; words: readonly string[] }[] =>
    command.commands.length === 0
      ? [{ command, words }]
      : command.commands.flatMap((each) => leaves(each, [...words, each.name()]));
  const sections = leaves(program, []).map(({ command, words }) => {
    const help = new HelpText();
    command.configureOutput({ writeOut: (text) => help.add(text) });
    command.outputHelp();
    return `## ${words.join(' ')}\n\n\`\`\`\n${help.text.trim()}\n\`\`\``;
  });
  return `# Commands

Run \`keyfold <command>\`, with the settings of the processes. [The way to run it](../run/install.md#operator-commands) depends on the installation. Only
the output of the command goes to stdout, so you can pipe \`--json\`. All commands can run beside running processes.

This page is generated from the help of the command by \`npm run docs\`.

${table(
  ['command', 'does'],
  leaves(program, []).map(({ command, words }) => [
    `[${code(words.join(' '))}](#${words.join('-')})`,
    command.description(),
  ]),
)}

The command uses \`mongodb\` if \`KEYFOLD_MONGODB_URI\` is set and the embedded store otherwise, unless \`KEYFOLD_STORE\` overrides it. If a process owns
the data folder, the command talks to it over the socket \`operator.sock\` in that folder, which only the folder's owner can open. Otherwise the command
opens the folder itself.

| exit status | meaning                                    |
| ----------- | ------------------------------------------ |
| 0           | success                                    |
| 1           | a problem was found, or the command failed |
| 2           | invalid usage                              |
| 78          | invalid settings                           |
| 130         | interrupted                                |

${sections.join('\n\n')}
`;
}

class HelpText {
  text = '';
  add(text: string): void {
    this.text += text;
  }
}

/** The settings of all processes, each once. */
function settings(): [string, z.ZodType][] {
  const { passwordRules: _, MAX_THREADS: __, ...schemas } = groups;
  return [...new Map(Object.values(schemas).flatMap((group) => Object.entries<z.ZodType>(group)))];
}

function settingsPage(): string {
  const defaults: Record<string, string> = { KEYFOLD_STORE: '`sqlite`; `mongodb` for gateways and workers' };
  const long: string[] = [];
  const rows = settings().map(([name, schema]) => {
    const value = defaultOf(schema);
    const isLong = value !== undefined && value.length > 60;
    if (isLong) long.push(`The default of ${code(name)}: ${code(value)}.`);
    return [code(name), defaults[name] ?? (isLong ? 'below' : value ? code(value) : 'none'), schema.description ?? ''];
  });
  return `# Settings

Environment variables of all processes. [Settings](../run/settings.md) explains how they are read, and
[monitor](../run/monitor.md#traces) those of traces. This page is generated from the code by \`npm run docs\`.

${table(['setting', 'default', 'meaning'], rows)}

${long.join('\n\n')}
`;
}

/** Returns the default of a setting as a variable would contain it. */
function defaultOf(schema: z.ZodType): string | undefined {
  let inner: unknown = schema;
  while (inner) {
    const { def } = inner as { def: { defaultValue?: unknown; innerType?: unknown; in?: unknown } };
    if (def.defaultValue !== undefined) return String(def.defaultValue).replaceAll(',', ', ');
    inner = def.innerType ?? def.in;
  }
  return undefined;
}

const metricsPage = () => `# Metrics

Keyfold's own metrics at \`/metrics\` of the management port. [Monitor](../run/monitor.md#metrics) explains which process exposes which. This page is
generated from the code by \`npm run docs\`.

${table(
  ['metric', 'type', 'labels', 'meaning'],
  Object.entries(metricDefinitions).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]),
)}
`;

function eventsPage(): string {
  const sections = publicEventTypes.map((type) => {
    const { when, version, since } = definitionOf(type);
    const { properties = {}, required = [] } = schemaOfEvent(type) as EventSchema;
    const { body } = sampleMessageOf(type);
    return `## ${type}

${when} Version ${version}, since ${since}.

${table(
  ['field', 'type', 'meaning'],
  Object.entries(properties).map(([name, field]) => [
    required.includes(name) ? code(name) : `${code(name)}, optional`,
    typeOf(field),
    field.description ?? '',
  ]),
)}

\`\`\`json
${JSON.stringify(JSON.parse(body.toString()))}
\`\`\``;
  });
  return `# Events

The events that Keyfold publishes, with the fields of their data and an example each. [Events](../connect/events.md) explains how to subscribe. This page
is generated from the code by \`npm run docs\`.

${table(
  ['type', 'when'],
  publicEventTypes.map((type) => [`[${code(type)}](#${type.replaceAll('.', '')})`, definitionOf(type).when]),
)}

${sections.join('\n\n')}
`;
}

type Field = Readonly<{ type?: string | readonly string[]; format?: string; items?: Field; description?: string }>;
type EventSchema = Readonly<{ properties?: Record<string, Field>; required?: readonly string[] }>;

function typeOf({ type, format, items }: Field): string {
  if (format === 'date-time') return 'time';
  if (items) return `list of ${typeOf(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

const DECISIONS = resolve(import.meta.dirname, '../../docs/decisions');
/** The sections of the index, in their order. Each record names its subject below its title. */
const SUBJECTS = [
  'Events, commits and state',
  'Stores and projections',
  'HTTP and compatibility',
  'Passwords, codes and guessing',
  'Secrets and tokens',
  'SSH keys and file servers',
  'Messages and events',
  'History and logs',
  'Processes and builds',
  'Tests and deployments',
];

function decisionsPage(): string {
  const records = readdirSync(DECISIONS)
    .filter((file) => /^\d{4}-/.test(file))
    .toSorted()
    .map((file) => {
      const [, title, subject = ''] =
        /^# (.*)\n\nSubject: (.*)$/m.exec(readFileSync(resolve(DECISIONS, file), 'utf8')) ?? [];
      expect(SUBJECTS, `${file} names a subject`).toContain(subject);
      return { subject, line: `- [${title}](${file})` };
    });
  const bySubject = Map.groupBy(records, ({ subject }) => subject);
  const sections = SUBJECTS.map((subject) => {
    const lines = bySubject.get(subject)!.map(({ line }) => line);
    return `## ${subject}\n\n${lines.join('\n')}`;
  });
  return `# Decision records

These records are for developers who wonder why Keyfold does something in a surprising way. Each one states a decision, its context, the reasons and the
consequences. A later decision gets a new record, which names the one that it replaces. A new record gets the number after the highest one; missing numbers
are not in use. \`npm run docs\` generates this index from the subjects of the records.

${sections.join('\n\n')}
`;
}
