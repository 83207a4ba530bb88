import { readFileSync } from 'node:fs';
import { durationOf, type HealthCheck } from './compose-file.js';

/** One instruction: its name in capitals, its flags such as `from`, and the rest of the line. */
export type Instruction = Readonly<{ name: string; flags: Readonly<Record<string, string>>; rest: string }>;

/** The container settings of the last stage of a Dockerfile. */
export type ImageDescription = Readonly<{
  entrypoint: readonly string[];
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  user: string;
  workingFolder: string;
  stopSignal: NodeJS.Signals;
  healthcheck: HealthCheck | undefined;
  copies: readonly Copy[];
}>;

/** A COPY instruction. Without a stage, it copies from the project. */
export type Copy = Readonly<{ stage: string | undefined; sources: readonly string[]; target: string }>;

/** Reads the last stage of a Dockerfile. Throws on an instruction that the runner does not implement. */
export const readDockerfile = (path: string): ImageDescription => readStage(path, stagesOf(path).at(-1) ?? []);

/** Returns the instructions of each stage, the first of which is its FROM. */
export function stagesOf(path: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const instruction of instructionsOf(readFileSync(path, 'utf8'))) {
    if (instruction.name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** Reads one stage of a Dockerfile. Throws on an instruction that the runner does not implement. */
export function readStage(path: string, [, ...last]: readonly Instruction[]): ImageDescription {
  for (const { name } of last)
    if (!KNOWN.includes(name)) throw new Error(`the runner does not implement ${name} in ${path}`);
  const restOf = (wanted: string) => last.findLast(({ name }) => name === wanted)?.rest ?? '';
  const list = (wanted: string) => JSON.parse(restOf(wanted) || '[]') as string[];
  return {
    entrypoint: list('ENTRYPOINT'),
    command: list('CMD'),
    environment: Object.fromEntries(
      last.filter(({ name }) => name === 'ENV').map(({ rest }) => rest.split(/=(.*)/s, 2) as [string, string]),
    ),
    user: restOf('USER'),
    workingFolder: restOf('WORKDIR'),
    stopSignal: (restOf('STOPSIGNAL') || 'SIGTERM') as NodeJS.Signals,
    healthcheck: healthcheckOf(last.findLast(({ name }) => name === 'HEALTHCHECK')),
    copies: last.filter(({ name }) => name === 'COPY').map(copyOf),
  };
}

const KNOWN = 'ENV WORKDIR COPY USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');

/** Returns the instructions of all stages, without comments and line continuations. */
export function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', flags = '', rest = ''] = /^(\w+)((?:\s+--\S+)*)\s+(.*)$/.exec(line.trim()) ?? [];
    const named = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag, value] as const);
    return { name: name.toUpperCase(), flags: Object.fromEntries(named) as Record<string, string>, rest };
  });
}

function healthcheckOf(instruction: Instruction | undefined): HealthCheck | undefined {
  if (!instruction) return undefined;
  const { flags, rest } = instruction;
  return {
    test: ['CMD', ...(JSON.parse(rest.replace(/^CMD\s+/, '')) as string[])],
    interval: durationOf(flags['interval'] ?? '30s'),
    timeout: durationOf(flags['timeout'] ?? '30s'),
    retries: Number(flags['retries'] ?? 3),
    start_period: durationOf(flags['start-period'] ?? '0s'),
    start_interval: durationOf(flags['start-interval'] ?? '5s'),
    disable: false,
  };
}

function copyOf({ flags, rest }: Instruction): Copy {
  const paths = rest.split(/\s+/);
  return { stage: flags['from'], sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}
