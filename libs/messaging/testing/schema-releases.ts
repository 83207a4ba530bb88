import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JsonSchema } from '../src/public-events/event-schemas.js';
import { formatJson } from './format-json.js';

const SCHEMAS = resolve(import.meta.dirname, '../schemas');

/** A released schema. */
export type Release = Readonly<{ type: string; version: string; schema: JsonSchema }>;

/** Reads every released schema, the versions of each type in ascending order. */
export const readReleases = (): readonly Release[] =>
  entriesOf(SCHEMAS)
    .flatMap((subject) => entriesOf(resolve(SCHEMAS, subject)).map((name) => `${subject}.${name}`))
    .flatMap((type) =>
      entriesOf(folderOf(type))
        .map((file) => file.replace(/\.json$/, ''))
        .toSorted(compareVersions)
        .map((version) => ({ type, version, schema: readSchema(fileOf(type, version)) })),
    );

/** Writes the file of a new version. Never changes an existing file. */
export async function writeRelease({ type, version, schema }: Release): Promise<void> {
  const file = fileOf(type, version);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await formatJson(schema));
}

/** Compares versions such as `1.10.0` by their numbers, for sorting. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((n) => (first?.[n] ?? 0) - (second?.[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

const readSchema = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;

const fileOf = (type: string, version: string) => resolve(folderOf(type), `${version}.json`);

/** Returns the folder of a type: that of `ssh-key.added` is `ssh-key/added`. */
const folderOf = (type: string) => resolve(SCHEMAS, type.replace('.', '/'));

const entriesOf = (folder: string) => readdirSync(folder).toSorted();
